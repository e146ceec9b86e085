//! The bytes of the files that go with prompts, for a client that gets a stored log.

use silcrow_event::{Entry, Event};
use silcrow_store::{Store, media};

use crate::error::Error;

/// The maximum number of bytes of an answer's files.
const MOST_BYTES: u64 = 8 << 20;

/// Loads the last files of the prompts, as many as an answer may have. A file whose bytes are lost stays
/// without them.
pub(crate) async fn load_prompt_files(
    store: &dyn Store,
    conversation: &str,
    log: &[Entry],
) -> Result<(), Error> {
    let mut bytes_left = MOST_BYTES;
    for entry in log.iter().rev() {
        let Event::User { content, steer: false, .. } = &entry.event else { continue };
        for medium in content.media() {
            let Some(left) = bytes_left.checked_sub(medium.bytes) else { return Ok(()) };
            bytes_left = left;
            if let Some(bytes) = media::read(store, conversation, medium).await? {
                medium.load(bytes);
            }
        }
    }
    Ok(())
}
