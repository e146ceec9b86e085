//! The prompts of a stored conversation.

use silcrow_event::Event;
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};

use crate::error::Error;

/// Returns the prompts of a conversation and their positions. One that is not stored has none.
pub(super) async fn stored_prompts(
    store: &dyn Store,
    conversation: &str,
) -> Result<Vec<(u64, String)>, Error> {
    let head = store.head(conversation).await?;
    if head == 0 {
        return Ok(Vec::new());
    }
    // Damaged events are left out; `silcrow log verify` reports them.
    let mut damage = Report::default();
    let entries = read_whole(store, conversation, 1..=head, &mut damage).await?;
    let prompt = |entry: silcrow_event::Entry| match entry.event {
        Event::User { content, steer: false, .. } => {
            Some((entry.seq?, content.text().into_owned()))
        }
        _ => None,
    };
    Ok(entries.into_iter().filter_map(prompt).collect())
}
