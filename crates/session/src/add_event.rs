//! An event that a person causes between runs, such as a summary or a notice.

use std::time::SystemTime;

use silcrow_event::{Entry, Event};
use silcrow_store::{Error, ErrorKind, Store};

/// Adds an event to a conversation, also while a run adds to it.
pub(crate) async fn add_event(
    store: &dyn Store,
    conversation: &str,
    event: Event,
) -> Result<(), Error> {
    let entry = Entry { timestamp: Some(SystemTime::now().into()), ..event.into() };
    loop {
        let head = store.head(conversation).await?;
        match store.append(conversation, head, vec![entry.clone()]).await {
            Ok(_) => return Ok(()),
            // A run has added something meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
    }
}
