//! Followers of logs: making [`Store::follow`] from [`Store::read`].
//!
//! This module keeps the position up to which each log has grown.
//!
//! A follower reads pages until it gets an empty one, then waits until the log has grown, and reads
//! again. It passes an empty page only if the log was long enough before the page was read: then the
//! store does without these events. A log that is longer afterwards may have grown in between. The
//! follower ends after an error.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use futures_util::stream::{self, BoxStream};
use silcrow_event as event;
use tokio::sync::watch;

use crate::error::Error;
use crate::store::Store;

/// The heads of the logs that are followed. With it, a store makes [`Store::follow`] from
/// [`Store::read`].
///
/// It keeps one number for each followed conversation, however slow the followers are.
///
/// ```
/// use futures_util::StreamExt as _;
/// use silcrow_event::Event;
/// use silcrow_store::{HeadWatchers, MemoryStore, Store as _};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let (store, heads) = (MemoryStore::new(), HeadWatchers::default());
/// let mut entries = heads.follow(&store, "c1", 0);
/// let (next, ()) = tokio::join!(entries.next(), async {
///     // A store does both in its `append`.
///     let head = store.append("c1", 0, vec![Event::user("hello").into()]).await.unwrap();
///     heads.publish("c1", head);
/// });
/// assert_eq!(next.unwrap()?.seq, Some(1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct HeadWatchers {
    followed: Mutex<HashMap<String, watch::Sender<u64>>>,
}

impl HeadWatchers {
    /// Reports that the log of `conversation` can be read up to `head`.
    pub fn publish(&self, conversation: &str, head: u64) {
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sender) = followed.get(conversation) else { return };
        // Two appends may report in either order; the log only grows.
        sender.send_if_modified(|seen| {
            let grown = head > *seen;
            *seen = head.max(*seen);
            grown
        });
    }

    /// Reports the heads of all logs that are followed, which `head` returns.
    pub fn publish_all(&self, head: impl Fn(&str) -> u64) {
        for conversation in self.followed() {
            self.publish(&conversation, head(&conversation));
        }
    }

    /// Returns the conversations whose logs are followed.
    pub fn followed(&self) -> Vec<String> {
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.keys().cloned().collect()
    }

    /// Returns the entries after a position, including future ones, read from `store` in pages.
    ///
    /// The stream ends after an error.
    pub fn follow<'a>(
        &'a self,
        store: &'a dyn Store,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>> {
        // The subscription begins before the first read, so no entry is missed between the two.
        let follower = LogFollower {
            heads: self,
            store,
            conversation,
            grown: Some(self.listen(conversation)),
            after,
            page: VecDeque::new(),
        };
        Box::pin(stream::unfold(ControlFlow::Continue(follower), |follower| async {
            let ControlFlow::Continue(mut follower) = follower else { return None };
            match follower.next().await? {
                Ok(entry) => Some((Ok(entry), ControlFlow::Continue(follower))),
                Err(error) => Some((Err(error), ControlFlow::Break(()))),
            }
        }))
    }

    /// Drops a subscription; the last one of a conversation removes its number.
    fn leave(&self, conversation: &str, receiver: watch::Receiver<u64>) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        drop(receiver);
        if followed.get(conversation).is_some_and(|sender| sender.receiver_count() == 0) {
            followed.remove(conversation);
        }
    }

    fn listen(&self, conversation: &str) -> watch::Receiver<u64> {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        match followed.get(conversation) {
            Some(sender) => sender.subscribe(),
            None => {
                let (sender, receiver) = watch::channel(0);
                followed.insert(conversation.to_owned(), sender);
                receiver
            }
        }
    }
}

struct LogFollower<'a> {
    heads: &'a HeadWatchers,
    store: &'a dyn Store,
    conversation: &'a str,
    /// The subscription, which is taken when the follower is dropped.
    grown: Option<watch::Receiver<u64>>,
    /// The position of the last entry that was returned.
    after: u64,
    /// The entries that were read and not yet returned.
    page: VecDeque<event::Entry>,
}

impl LogFollower<'_> {
    async fn next(&mut self) -> Option<Result<event::Entry, Error>> {
        // The head as it was before the next page is read, if it was asked for.
        let mut known = 0;
        loop {
            if let Some(entry) = self.page.pop_front() {
                // A store may do without events that were lost.
                self.after = entry.seq.unwrap_or(self.after + 1);
                return Some(Ok(entry));
            }
            let first = self.after.saturating_add(1);
            let last = self.after.saturating_add(PAGE);
            match self.store.read(self.conversation, first..=last).await {
                Ok(page) if !page.is_empty() => self.page = page.into(),
                Ok(_) if known >= last => self.after = last,
                Ok(_) => match self.store.head(self.conversation).await {
                    Ok(head) if head >= last => known = head,
                    Ok(_) => self.grown.as_mut()?.changed().await.ok()?,
                    Err(error) => return Some(Err(error)),
                },
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Drop for LogFollower<'_> {
    fn drop(&mut self) {
        if let Some(grown) = self.grown.take() {
            self.heads.leave(self.conversation, grown);
        }
    }
}

/// The number of entries that are read at once.
const PAGE: u64 = 64;
