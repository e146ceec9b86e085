//! The name of a conversation.

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::{ErrorKind, Store};

use crate::conversations::stored_head;
use crate::error::Error;

/// Gives the conversation that is meant a name, also while a run adds to it, and returns its id.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::{Event, Timestamp};
/// use silcrow_history::rename;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("hi").into()]).await.unwrap();
/// rename(&store, "c1", "A greeting", Timestamp::from_nanos(1)).await.unwrap();
/// assert_eq!(store.list(None).await.unwrap()[0].title, "A greeting");
/// # });
/// ```
///
/// # Errors
///
/// Returns an error if the conversation does not exist, or if the store fails.
pub async fn rename(
    store: &dyn Store,
    typed: &str,
    title: &str,
    time: Timestamp,
) -> Result<String, Error> {
    let (id, mut head) = stored_head(store, typed).await?;
    let named = Entry { timestamp: Some(time), ..Event::title(title).into() };
    loop {
        match store.append(&id, head, vec![named.clone()]).await {
            Ok(_) => return Ok(id),
            // A run has added something meanwhile.
            Err(error) if error.kind() == ErrorKind::Conflict => head = store.head(&id).await?,
            Err(error) => return Err(error.into()),
        }
    }
}
