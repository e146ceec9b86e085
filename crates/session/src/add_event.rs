//! An event beside the runs of a conversation, such as a summary, a notice or a run of a hook.

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
    add_entry(store, conversation, entry).await
}

/// Adds an event that has its time to a conversation, even while a run adds to it.
pub(crate) async fn add_entry(
    store: &dyn Store,
    conversation: &str,
    entry: Entry,
) -> Result<(), Error> {
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
