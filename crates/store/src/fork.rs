//! Forks: new conversations that begin with the history of another one.
//!
//! This module decides which part of a history a fork has. Long outputs that results name are kept
//! elsewhere, and stay behind.

use silcrow_event as event;
use silcrow_event::{BranchPoint, CallResult, ConversationOrigin, Event, KeptOutput, Truncation};

use crate::error::{Error, ErrorKind};
use crate::imported;
use crate::media;
use crate::open_calls::OpenCalls;
use crate::store::Store;

/// The history of a conversation up to a position, from which another conversation can begin.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_store::{Fork, MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// let said = ["one", "two", "three"].map(|text| Event::user(text).into());
/// store.append("c1", 0, said.into()).await.unwrap();
///
/// let fork = Fork::read(&store, "c1", 2).await.unwrap();
/// assert_eq!(fork.begin(&store, "c2").await.unwrap(), 2);
/// let entries = store.read("c2", 1..=2).await.unwrap();
/// assert_eq!(entries[1].event, Event::user("two"));
/// assert_eq!(entries[0].origin.as_ref().unwrap().point().conversation, "c1");
/// # });
/// ```
///
/// The fork copies events and no values. So no approval for the original counts in it, and neither
/// does a mark that a call was started. Calls without a result get one in the fork, which says that
/// their outcome is unknown: they may have run for the original, and they never run in the fork.
#[derive(Debug)]
pub struct Fork {
    point: BranchPoint,
    entries: Vec<event::Entry>,
    /// The number of entries that are copies. Results of open calls follow them.
    copied: usize,
    /// The position up to which the original was imported, or 0.
    imported: u64,
    owner: Option<String>,
}

impl Fork {
    /// Reads the history of a conversation up to the event at position `at`, which is included, or
    /// all of it.
    ///
    /// # Errors
    ///
    /// - [`Refused`](ErrorKind::Refused) if there is no conversation of this id, or no event at this
    ///   position.
    /// - The errors of reading, such as [`Damaged`](ErrorKind::Damaged).
    pub async fn read<S: Store + ?Sized>(
        store: &S,
        conversation: &str,
        at: impl Into<Option<u64>>,
    ) -> Result<Self, Error> {
        let head = store.head(conversation).await?;
        let at = at.into().unwrap_or(head);
        if head == 0 {
            return Err(refused(format!("unknown conversation {conversation:?}")));
        }
        if at == 0 || at > head {
            return Err(refused(format!(
                "conversation {conversation:?} has no event {at}; its events are 1 to {head}"
            )));
        }
        let mut entries = store.read(conversation, 1..=at).await?;
        if entries.last().is_none_or(|last| last.seq != Some(at)) {
            return Err(refused(format!(
                "event {at} of conversation {conversation:?} is lost; name another one"
            )));
        }
        let imported = imported::head(store, conversation).await?.min(at);
        // The copies have other positions than the originals if events between them were lost.
        let is_imported = |entry: &&event::Entry| entry.seq.is_some_and(|seq| seq <= imported);
        let imported = entries.iter().filter(is_imported).count() as u64;
        let owner = entries.iter().find_map(|entry| entry.user.clone());
        let (copied, point) =
            (entries.len(), BranchPoint { conversation: conversation.to_owned(), seq: at });
        renumber_summaries(&mut entries);
        let answers = answers(&entries, &point);
        entries.extend(answers);
        Ok(Self { point, entries, copied, imported, owner })
    }

    /// Returns the point in the original up to which the fork has its history.
    pub const fn point(&self) -> &BranchPoint {
        &self.point
    }

    /// Returns the first user that the history names.
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// Returns the number of events that the fork copies.
    pub const fn copied(&self) -> usize {
        self.copied
    }

    /// Returns the number of calls that have no result in the copied history.
    pub fn unanswered(&self) -> usize {
        self.entries.len() - self.copied
    }

    /// Returns the turn, the call's id and the gap of each result whose whole output is stored
    /// elsewhere, so that the caller can copy it for the fork.
    pub fn spilled(&mut self) -> impl Iterator<Item = (u32, &str, &mut Truncation)> {
        self.entries.iter_mut().filter_map(|entry| {
            let Event::Result(CallResult { id: Some(id), payload, .. }) = &mut entry.event else {
                return None;
            };
            let truncated = payload.as_mut()?.truncated.as_deref_mut()?;
            truncated.full_output.as_ref()?;
            Some((entry.turn.unwrap_or_default(), id.as_str(), truncated))
        })
    }

    /// Returns the names of the outputs that the last summary shortens, so that the caller can copy
    /// them for the fork.
    pub fn outputs(&mut self) -> Option<&mut Vec<KeptOutput>> {
        self.entries.iter_mut().rev().find_map(|entry| match &mut entry.event {
            Event::Summary(summary) => Some(&mut summary.outputs),
            _ => None,
        })
    }

    /// Checks that a conversation can begin under an id.
    ///
    /// # Errors
    ///
    /// [`Refused`](ErrorKind::Refused) if the id belongs to a conversation.
    pub async fn check<S: Store + ?Sized>(
        &self,
        store: &S,
        conversation: &str,
    ) -> Result<(), Error> {
        if store.head(conversation).await? > 0 {
            return Err(refused(format!(
                "there is a conversation {conversation:?} already; name another id"
            )));
        }
        if self.imported > 0 {
            imported::check(conversation)?;
        }
        Ok(())
    }

    /// Begins a conversation with this history, all of it or nothing, and returns its head.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`check`](Self::check), of [`Store::append`] and of putting a value.
    pub async fn begin<S: Store + ?Sized>(
        mut self,
        store: &S,
        conversation: &str,
    ) -> Result<u64, Error> {
        self.check(store, conversation).await?;
        for entry in &mut self.entries {
            if let Some(opening) = &mut entry.opening {
                conversation.clone_into(&mut opening.conversation);
            }
        }
        media::copy(store, &self.point.conversation, conversation, &self.entries).await?;
        if let Some(first) = self.entries.first_mut() {
            first.origin = Some(ConversationOrigin::Fork(self.point));
        }
        if self.imported > 0 {
            imported::set(store, conversation, self.imported).await?;
        }
        store.append(conversation, 0, self.entries).await
    }
}

/// Makes summaries name the positions that the copies have, which differ if events were lost.
fn renumber_summaries(entries: &mut [event::Entry]) {
    let positions: Vec<u64> = entries.iter().filter_map(|entry| entry.seq).collect();
    let copied = |position: u64| positions.partition_point(|&seq| seq <= position) as u64;
    for entry in entries {
        if let Event::Summary(summary) = &mut entry.event {
            summary.until = copied(summary.until);
            summary.shortened = copied(summary.shortened);
        }
    }
}

/// Returns results for the calls that have none.
fn answers(entries: &[event::Entry], point: &BranchPoint) -> Vec<event::Entry> {
    let mut open = OpenCalls::default();
    for entry in entries {
        open.apply(entry, |call| call.name().to_owned());
    }
    let timestamp = entries.iter().rev().find_map(|entry| entry.timestamp);
    let BranchPoint { conversation, seq } = point;
    let why = format!(
        "outcome unknown: this conversation was forked from {conversation:?} at event {seq}, \
         before this call had a result; it may have run there, and it is not run here"
    );
    let answer = |(turn, id, name): (u32, String, String)| event::Entry {
        turn: Some(turn),
        timestamp,
        ..Event::Result(CallResult::framework_failure(id, Some(&name), SUMMARY, &*why)).into()
    };
    open.into_calls().map(answer).collect()
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Refused, message)
}

/// The answer to a call that is open at the end of the history.
const SUMMARY: &str = "outcome unknown";

#[cfg(test)]
mod tests;
