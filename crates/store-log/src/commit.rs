//! The commit: how the changes of one process become a group, and how each is answered.

use std::sync::Arc;

use silcrow_store::{Error, ErrorKind};

use crate::compact::compact_one;
use crate::files::{CommitFailure, StoreFiles};
use crate::options::Durability;
use crate::placed::PlacedGroup;
use crate::shared::Shared;
use crate::stage::{Change, Stage};

/// Writes groups, one after the other.
#[derive(Debug)]
pub(crate) struct Committer {
    shared: Arc<Shared>,
    durability: Durability,
    /// The files of the store, from the first change on.
    files: Option<StoreFiles>,
    /// Why nothing is written any more: after a failed sync nobody knows what is on the disk.
    failed: Option<String>,
}

impl Committer {
    pub(crate) fn new(shared: Arc<Shared>, durability: Durability) -> Self {
        Self { shared, durability, files: None, failed: None }
    }

    /// Writes the changes that hold, together, and answers each.
    pub(crate) fn commit(&mut self, changes: Vec<Change>) -> Vec<Result<u64, Error>> {
        let count = changes.len();
        if let Some(cause) = &self.failed {
            return (0..count).map(|_| Err(self.closed(cause))).collect();
        }
        let mut answers = Vec::with_capacity(count);
        let failure = match self.write(changes, &mut answers) {
            Ok(()) => return answers,
            Err(failure) => failure,
        };
        // What does not hold was answered before the rest failed.
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

    fn write(
        &mut self,
        changes: Vec<Change>,
        answers: &mut Vec<Result<u64, Error>>,
    ) -> Result<(), CommitFailure> {
        if self.files.is_none() {
            self.shared.log_for_writing().check_place()?;
            self.files = Some(StoreFiles::open(&self.shared.dir)?);
        }
        let files = self.files.as_mut().expect("they were opened");
        let lock = files.lock()?;
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
        // What was asked for is done; room that is not given back now is given back later.
        let _ = compact_one(files, &mut log);
        drop(lock);
        self.shared.heads.publish_all(|conversation| log.head(conversation));
        Ok(())
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

/// Returns an error for one more caller of the same group.
fn again(error: &Error) -> Error {
    let message = match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    };
    Error::new(error.kind(), message)
}
