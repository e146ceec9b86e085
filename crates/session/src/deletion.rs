//! The removal of a conversation with everything that is kept of it.
//!
//! The caller makes sure that no run is at work.

use silcrow_history::conversations_inside;
use silcrow_sanitize::sanitize_line;
use silcrow_store::Store;

use crate::error::Error;
use crate::store::StorePlace;

/// A conversation that is to be removed, with those that its calls ran.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_session::{Deletion, StorePlace};
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// for id in ["c1", "c1/1/a"] {
///     store.append(id, 0, vec![Event::user("hello").into()]).await?;
/// }
/// let deletion = Deletion::plan(&store, "c1").await?;
/// assert_eq!(deletion.conversations(), ["c1/1/a", "c1"]);
/// let deleted = deletion.perform(&store, &StorePlace::Memory).await?;
/// assert_eq!((deleted.events, deleted.others, deleted.files), (1, 1, false));
/// assert_eq!(store.head("c1/1/a").await?, 0);
/// # Ok::<_, silcrow_session::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Deletion(Vec<String>);

/// The parts of a conversation that were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deleted {
    /// The number of its events.
    pub events: u64,
    /// The number of conversations that its calls ran.
    pub others: usize,
    /// Whether there were files outside the logs: long outputs, or copies of changed files.
    pub files: bool,
}

impl Deletion {
    /// Finds the conversations inside a conversation, whose id is whole.
    ///
    /// # Errors
    ///
    /// Returns an error of the store.
    pub async fn plan(store: &dyn Store, conversation: &str) -> Result<Self, Error> {
        let inside = conversations_inside(store, conversation).await?;
        Ok(Self(inside.into_iter().chain([conversation.to_owned()]).collect()))
    }

    /// Returns the conversations in the order of their removal; the named one is the last.
    pub fn conversations(&self) -> &[String] {
        &self.0
    }

    /// Removes the conversations, their long outputs, and the copies of files that they changed.
    /// The conversation that was named is removed last, so that a deletion that was interrupted can
    /// be repeated.
    ///
    /// # Errors
    ///
    /// Returns an error if something cannot be removed; parts that were already removed stay
    /// removed.
    pub async fn perform(&self, store: &dyn Store, place: &StorePlace) -> Result<Deleted, Error> {
        let mut events = 0;
        for id in &self.0 {
            events = store.head(id).await?;
            store.delete(id, events).await?;
        }
        let (spills, changes) = (place.spills(), place.changes());
        let mut files = false;
        for id in &self.0 {
            let shown = sanitize_line(id);
            if let Some(spills) = &spills {
                files |= spills.remove(id).map_err(|error| {
                    Error::failed(format!("cannot remove the long outputs of {shown}: {error}"))
                })?;
            }
            if let Some(changes) = &changes {
                files |= changes.remove(id).map_err(|error| {
                    let what = "what files were before its changes";
                    Error::failed(format!("cannot remove {what}, of {shown}: {error}"))
                })?;
            }
        }
        Ok(Deleted { events, others: self.0.len() - 1, files })
    }
}
