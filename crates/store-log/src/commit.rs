//! The commit: it makes the changes of one process a group, and answers each.

use std::fmt;
use std::sync::Arc;
// The time that a group takes at the disk, outside any runtime.
use std::time::{Duration, Instant};

use silcrow_store::{Error, ErrorKind};

use crate::compact::{compact_one, is_worth_one};
use crate::fault::is_no_room;
use crate::files::{CommitFailure, StoreFiles};
use crate::lock::LockGuard;
use crate::options::Durability;
use crate::placed::PlacedGroup;
use crate::shared::Shared;
use crate::stage::{Change, Stage};

/// Writes groups, one after the other.
pub(crate) struct Committer {
    shared: Arc<Shared>,
    durability: Durability,
    /// The files of the store, from the first change on.
    files: Option<StoreFiles>,
    /// The reason why writing has stopped: after a failed sync the contents of the disk are
    /// unknown.
    failed: Option<String>,
    notify: Notify,
    /// Whether the person was notified that the disk is too full to free space.
    has_told_no_room: bool,
    /// The approximate time for a group.
    usual: Duration,
    /// A segment is to be rewritten, which takes longer than a group.
    has_to_compact: bool,
}

impl fmt::Debug for Committer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Committer");
        debug.field("durability", &self.durability).field("usual", &self.usual);
        debug.finish_non_exhaustive()
    }
}

/// Passes a line on to a person.
pub(crate) type Notify = Arc<dyn Fn(&str) + Send + Sync>;

impl Committer {
    pub(crate) fn new(shared: Arc<Shared>, durability: Durability, notify: Notify) -> Self {
        let (files, failed, has_told_no_room, has_to_compact) = Default::default();
        let usual = SLOW;
        Self { shared, durability, files, failed, notify, has_told_no_room, usual, has_to_compact }
    }

    /// Writes the changes that hold, together, and answers each.
    pub(crate) fn commit(&mut self, changes: Vec<Change>) -> Vec<Result<u64, Error>> {
        let count = changes.len();
        if let Some(cause) = &self.failed {
            return (0..count).map(|_| Err(self.closed(cause))).collect();
        }
        let mut answers = Vec::with_capacity(count);
        let written = self.open().map_err(CommitFailure::from).and_then(|lock| {
            self.write(&lock, changes, &mut answers)?;
            self.compact(&lock);
            Ok(())
        });
        self.answered(written, answers, count)
    }

    /// Writes a change at once, if groups are written so quickly that another thread would be
    /// slower, and if no other process writes. Otherwise returns the change.
    pub(crate) fn commit_at_once(&mut self, change: Change) -> Result<Result<u64, Error>, Change> {
        let is_quick = self.usual <= QUICK && self.failed.is_none();
        let Some(files) = self.files.as_mut().filter(|_| is_quick) else { return Err(change) };
        // The waiting thread finds any error again.
        let Ok(Some(lock)) = files.try_lock() else { return Err(change) };
        let mut answers = Vec::with_capacity(1);
        let written = self.write(&lock, vec![change], &mut answers);
        drop(lock);
        let answer = self.answered(written, answers, 1).pop();
        Ok(answer.expect("one change has one answer"))
    }

    /// Returns whether there is more to do than to write: a segment to rewrite, or a checkpoint.
    pub(crate) fn has_more(&self) -> bool {
        self.has_to_compact || self.shared.log_for_writing().is_checkpoint_due()
    }

    fn answered(
        &mut self,
        written: Result<(), CommitFailure>,
        mut answers: Vec<Result<u64, Error>>,
        count: usize,
    ) -> Vec<Result<u64, Error>> {
        // Even if nothing was written, the records of others up to then were read.
        self.shared.publish_heads();
        let failure = match written {
            Ok(()) => return answers,
            Err(failure) => failure,
        };
        // Changes whose conditions do not hold were answered before the rest failed.
        answers.resize_with(count, || Ok(0));
        let error: Box<dyn Fn() -> Error> = match failure {
            CommitFailure::Refused(error) => Box::new(move || again(&error)),
            CommitFailure::Unknown(cause) => {
                let error = self.unknown(&cause);
                self.failed = Some(cause);
                Box::new(move || again(&error))
            }
        };
        answers.into_iter().map(|answer| answer.and_then(|_| Err(error()))).collect()
    }

    /// Writes a checkpoint if enough was written since the last one.
    pub(crate) fn keep_checkpoint(&mut self) {
        let Some(files) = self.files.as_mut().filter(|_| self.failed.is_none()) else { return };
        if !self.shared.log_for_writing().is_checkpoint_due() {
            return;
        }
        let Ok(log) = self.shared.log() else { return };
        let known = log.write_checkpoint(files);
        drop(log);
        self.shared.log_for_writing().checkpoint = Some(known);
    }

    /// Opens the files of the store if they are not open, and waits for the lock.
    fn open(&mut self) -> Result<LockGuard, Error> {
        if self.files.is_none() {
            self.shared.log_for_writing().check_place()?;
            self.files = Some(StoreFiles::open(&self.shared.dir)?);
        }
        self.files.as_mut().expect("they were opened").lock()
    }

    fn write(
        &mut self,
        _: &LockGuard,
        changes: Vec<Change>,
        answers: &mut Vec<Result<u64, Error>>,
    ) -> Result<(), CommitFailure> {
        let begin = Instant::now();
        let files = self.files.as_mut().expect("they were opened");
        let mut log = self.shared.log_for_writing();
        files.prepare(&mut log)?;
        let mut stage = Stage::new(&log);
        answers.extend(changes.into_iter().map(|change| stage.add(change)));
        let group = stage.finish();
        if group.is_empty() {
            return Ok(());
        }
        let place = PlacedGroup::new(&mut log, &group)?;
        let rewrites = log.rewrites;
        // Readers continue while the disk works.
        drop(log);
        place.write(files, rewrites, self.durability)?;
        let mut log = self.shared.log_for_writing();
        place.push_to(&mut log).map_err(|error| CommitFailure::Unknown(error.to_string()))?;
        for (conversation, (head, link)) in group.heads {
            log.view.keep_link(&conversation, head, link);
        }
        self.has_to_compact = is_worth_one(&log);
        // One that took very long says little of the next.
        self.usual = (3 * self.usual + begin.elapsed().min(SLOW)) / 4;
        Ok(())
    }

    /// Rewrites a segment, if that is worth it. The request itself is complete; space that is not
    /// freed now is freed later.
    fn compact(&mut self, _: &LockGuard) {
        if !self.has_to_compact {
            return;
        }
        let files = self.files.as_ref().expect("they were opened");
        let mut log = self.shared.log_for_writing();
        let compacted = compact_one(files, &mut log);
        self.has_to_compact = compacted.is_ok() && is_worth_one(&log);
        drop(log);
        if let Err(error) = compacted
            && is_no_room(&error)
            && !std::mem::replace(&mut self.has_told_no_room, true)
        {
            (self.notify)(&format!("what was deleted still takes its room: {error}"));
        }
    }

    fn closed(&self, cause: &str) -> Error {
        let message = format!(
            "the store {} accepts no more changes: {cause}; what was acknowledged can be read; \
             check the disk, then open the store again",
            self.shared.dir.display()
        );
        Error::new(ErrorKind::Io, message)
    }

    fn unknown(&self, cause: &str) -> Error {
        let message = format!(
            "writing to the store {} failed: {cause}; nothing of this was acknowledged, it may or \
             may not be there when the store is opened again",
            self.shared.dir.display()
        );
        Error::new(ErrorKind::Io, message)
    }
}

/// The longest time of a group that is written on the caller's thread. The way to another thread
/// and back takes about as long.
const QUICK: Duration = Duration::from_micros(20);

/// The time of a group before one was written, and the longest that counts.
const SLOW: Duration = Duration::from_micros(80);

/// Returns an error for one more caller of the same group.
fn again(error: &Error) -> Error {
    let message = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    Error::new(error.kind(), message)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    use futures_util::StreamExt as _;
    use silcrow_event::Event;
    use silcrow_store::{ErrorKind, MemoryStore, Store};

    use super::Committer;
    use crate::options::{Durability, Options};
    use crate::shared::Shared;
    use crate::stage::Change;
    use crate::store::LogStore;

    /// The writer reads the records of others before it, so the watch finds nothing new afterwards.
    #[tokio::test]
    async fn rejected_change_wakes_followers() {
        let dir = tempfile::tempdir().unwrap();
        let shared = Arc::new(Shared::new(dir.path().to_owned()));
        let mut committer =
            Committer::new(Arc::clone(&shared), Durability::Process, Arc::new(|_| {}));
        // The follower reads another store, which does not look at the log.
        let memory = MemoryStore::new();
        let mut follower = shared.heads.follow(&memory, "c", 0);
        let mut context = Context::from_waker(Waker::noop());
        assert!(follower.poll_next_unpin(&mut context).is_pending());

        let other = LogStore::open(dir.path(), Options::default()).await.unwrap();
        for store in [&memory as &dyn Store, &other] {
            store.append("c", 0, vec![Event::user("first").into()]).await.unwrap();
        }
        let (conversation, events) = ("c".to_owned(), Vec::new());
        let late = Change::Append { conversation, expected: 0, events };
        let answers = committer.commit(vec![late]);
        assert_eq!(answers[0].as_ref().unwrap_err().kind(), ErrorKind::Conflict);
        assert!(matches!(follower.poll_next_unpin(&mut context), Poll::Ready(Some(Ok(_)))));
    }
}
