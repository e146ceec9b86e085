//! A conversation as it grows, through runs of any process.
//!
//! Events arrive as they are stored. Now and then the follower checks that the conversation was not
//! replaced since it returned events.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use silcrow_event::{Entry, Event};
use silcrow_store::verify::{Damage, Report, read_whole};
use silcrow_store::{ErrorKind as StoreErrorKind, Store};
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};

/// Follows a conversation as `tail -f` follows a file, from its first event on.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_history::{ConversationFollower, FollowedEvent};
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("hi").into()]).await.unwrap();
/// let mut follower = ConversationFollower::new(&store, "c1");
/// let first = follower.next().await?;
/// assert!(matches!(first, FollowedEvent::Entry(entry) if entry.event == Event::user("hi")));
/// # Ok::<_, silcrow_history::Error>(())
/// # }).unwrap();
/// ```
pub struct ConversationFollower<'a> {
    store: &'a dyn Store,
    conversation: &'a str,
    is_in_place: Box<dyn Fn() -> bool + Send + 'a>,
    entries: Option<EntryPages<'a>>,
    /// The events that were read and not returned yet.
    ready: VecDeque<FollowedEvent>,
    /// The position of the last event that was read or is damaged.
    after: u64,
    /// The entry that was read last.
    last: Option<Entry>,
    /// Whether the last event of a run shows that none continues.
    is_over: bool,
    /// Whether the follower has reported that it waits.
    waits: bool,
}

type EntryPages<'a> = BoxStream<'a, Vec<Result<Entry, silcrow_store::Error>>>;

/// An event, or a pause, as a follower returns it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FollowedEvent {
    /// The next event.
    Entry(Box<Entry>),
    /// Damage where the next events should be. The events after it follow.
    Damaged(Damage),
    /// Everything has been returned, and according to the last event no run is at work. Returned
    /// once before further events.
    Waiting,
}

impl<'a> ConversationFollower<'a> {
    /// Creates a follower of the conversation with this id, which may be yet to begin.
    pub fn new(store: &'a dyn Store, conversation: &'a str) -> Self {
        Self {
            store,
            conversation,
            is_in_place: Box::new(|| true),
            entries: None,
            ready: VecDeque::new(),
            after: 0,
            last: None,
            is_over: true,
            waits: false,
        }
    }

    /// Sets the check whether the store is still where it was opened. It is asked a few times a
    /// second.
    #[must_use]
    pub fn with_check(self, is_in_place: impl Fn() -> bool + Send + 'a) -> Self {
        Self { is_in_place: Box::new(is_in_place), ..self }
    }

    /// Waits for the next event, and returns it.
    ///
    /// # Errors
    ///
    /// - [`Removed`](ErrorKind::Removed) if the conversation or the store was removed, even if another
    ///   one now has its name.
    /// - [`Store`](ErrorKind::Store) if the store fails.
    pub async fn next(&mut self) -> Result<FollowedEvent, Error> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                return Ok(next);
            }
            let (store, conversation, after) = (self.store, self.conversation, self.after);
            let entries = self.entries.get_or_insert_with(|| {
                store.follow(conversation, after).ready_chunks(PAGE).boxed()
            });
            let read = timeout(PACE, entries.next()).await;
            // Entries that were read before this check belong to the followed conversation.
            self.check().await?;
            let Ok(page) = read else {
                if self.is_over && !std::mem::replace(&mut self.waits, true) {
                    return Ok(FollowedEvent::Waiting);
                }
                continue;
            };
            for entry in page.unwrap_or_default() {
                match entry {
                    Ok(entry) => self.take(entry),
                    Err(error) if error.kind() == StoreErrorKind::Damaged => {
                        self.pass_damage(error).await?;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    /// Takes the next page that has damaged events.
    async fn pass_damage(&mut self, error: silcrow_store::Error) -> Result<(), Error> {
        self.entries = None;
        // Entries that are added from here on are not skipped, because they are read later.
        let head = self.store.head(self.conversation).await?;
        let mut report = Report::default();
        while report.damage.is_empty() {
            let page = self.after + 1..=head.min(self.after + PAGE as u64);
            if page.is_empty() {
                return Err(error.into());
            }
            let last = *page.end();
            let read = read_whole(self.store, self.conversation, page, &mut report).await?;
            self.ready.extend(report.damage.iter().cloned().map(FollowedEvent::Damaged));
            read.into_iter().for_each(|entry| self.take(entry));
            self.after = last;
        }
        Ok(())
    }

    /// Fails if the last read entry is no longer there.
    async fn check(&self) -> Result<(), Error> {
        let removed = || {
            let why = "the conversation was removed meanwhile; follow it from its beginning";
            Err(Error::new(ErrorKind::Removed, why))
        };
        if !(self.is_in_place)() {
            return removed();
        }
        let Some(last) = &self.last else { return Ok(()) };
        let position = last.seq.unwrap_or_default();
        match self.store.read(self.conversation, position..=position).await {
            Ok(read) if read.first() == Some(last) => Ok(()),
            Ok(_) => removed(),
            Err(error) if error.kind() == StoreErrorKind::Damaged => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn take(&mut self, entry: Entry) {
        self.after = entry.seq.unwrap_or(self.after + 1);
        self.waits = false;
        self.ready.push_back(FollowedEvent::Entry(Box::new(entry.clone())));
        match &entry.event {
            event if event.is_beside_runs() => {}
            Event::Cancelled { .. } | Event::Failed(_) => self.is_over = true,
            Event::Respond(respond) => self.is_over = respond.malformed.is_none(),
            _ => self.is_over = false,
        }
        self.last = Some(entry);
    }
}

impl fmt::Debug for ConversationFollower<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConversationFollower")
            .field("conversation", &self.conversation)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

/// The greatest number of entries that are read between two checks.
const PAGE: usize = 64;

/// The time between two checks while nothing is added.
const PACE: Duration = Duration::from_millis(250);
