//! The commit: how a group of changes gets to the disk.
//!
//! This module writes segments and the mark, and nothing else in the store does.

use std::fs::File;
use std::io;
use std::sync::Arc;

use silcrow_store::{Error, ErrorKind};

use crate::fault::failed;
use crate::file::{sync_folder, write_all_at};
use crate::folder::{self, FolderContents};
use crate::lock::LockFile;
use crate::log::LogFiles;
use crate::mark::{Mark, MarkFile, Position};
use crate::options::Durability;
use crate::segments::{SEGMENT, Segment};
use crate::shared::Shared;
use crate::stage::{Change, Group, Stage};

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

#[derive(Debug)]
struct StoreFiles {
    lock: LockFile,
    mark: MarkFile,
}

/// Why a group was not written.
enum CommitFailure {
    /// Nothing of it is on the disk, and another one may be.
    Refused(Error),
    /// Nobody knows what of it is on the disk.
    Unknown(String),
}

impl From<Error> for CommitFailure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
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
            self.files = Some(StoreFiles::open(&self.shared)?);
        }
        let files = self.files.as_ref().expect("they were opened");
        let lock = files.lock.take()?;
        let mut log = self.shared.log_for_writing();
        files.prepare(&mut log)?;
        let mut stage = Stage::new(&log);
        answers.extend(changes.into_iter().map(|change| stage.add(change)));
        let group = stage.finish();
        if group.is_empty() {
            return Ok(());
        }
        let place = place(&mut log, &group)?;
        let rewrites = log.rewrites;
        // Readers continue while the disk works.
        drop(log);
        place.make_room()?;
        let end =
            Position { segment: place.segment.number, at: place.at + place.bytes.len() as u64 };
        let written = files
            .mark
            .write(&Mark::new(place.before, rewrites, true))
            .and_then(|()| write_all_at(&place.segment.file, &place.bytes, place.at))
            .and_then(|()| self.sync(&place.segment.file))
            .and_then(|()| files.mark.write(&Mark::new(end, rewrites, false)));
        written.map_err(|error| CommitFailure::Unknown(error.to_string()))?;
        if let Some(full) = &place.full {
            // It has room that it does not need. With it, it is only longer.
            let _ = full.file.set_len(place.before.at);
        }
        let mut log = self.shared.log_for_writing();
        log.catch_up().map_err(|error| CommitFailure::Unknown(error.to_string()))?;
        for (conversation, (head, link)) in group.heads {
            log.view.keep_link(&conversation, head, link);
        }
        drop(lock);
        self.shared.heads.publish_all(|conversation| log.head(conversation));
        Ok(())
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        match self.durability {
            Durability::Power => file.sync_data(),
            Durability::Process => Ok(()),
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

impl StoreFiles {
    /// Opens the files of the store, and makes what is missing.
    fn open(shared: &Shared) -> Result<Self, Error> {
        let dir = &shared.dir;
        folder::make(dir)?;
        let lock = LockFile::make(dir)?;
        let guard = lock.take()?;
        if folder::look(dir)? != FolderContents::Store {
            folder::write_format(dir)?;
        }
        let mark = MarkFile::make(dir)?;
        drop(guard);
        Ok(Self { lock, mark })
    }

    /// Brings the log up to date before a group. If a process died while it wrote, or the machine
    /// was restarted, what was written completely is made to stay.
    fn prepare(&self, log: &mut LogFiles) -> Result<(), CommitFailure> {
        let mark = self.mark.read();
        if mark.is_some_and(|mark| mark.is_exact() && !mark.is_writing) {
            log.catch_up()?;
            return Ok(());
        }
        log.catch_up_beyond_the_mark()?;
        for segment in log.segments.from(mark.map_or(0, |mark| mark.end.segment)) {
            let synced = segment.file.sync_all();
            synced.map_err(|error| CommitFailure::Unknown(error.to_string()))?;
        }
        if !log.segments.is_empty() {
            sync_folder(&log.folder())?;
        }
        let mark = Mark::new(log.position, log.rewrites, false);
        self.mark.write(&mark).map_err(|error| CommitFailure::Unknown(error.to_string()))
    }
}

/// The bytes of a group and where they go.
struct PlacedGroup {
    segment: Segment,
    at: u64,
    bytes: Vec<u8>,
    /// The end of the group before it.
    before: Position,
    /// The segment that gets no more groups from here on.
    full: Option<Segment>,
}

/// Finds the place of a group: after the last one, or in a new segment if that one is full or has
/// bytes of an interrupted write.
fn place(log: &mut LogFiles, group: &Group) -> Result<PlacedGroup, Error> {
    let before = log.position;
    let last = log.segments.get(before.segment).cloned();
    let fits = !log.is_torn && (before.at == 0 || before.at + group.len() <= SEGMENT);
    let full = last.clone().filter(|_| !fits && !log.is_torn);
    let (segment, at, end_before) = match last.filter(|_| fits) {
        Some(last) => (last, before.at, log.end_before),
        None => {
            let folder = log.folder();
            (log.segments.make(&folder, before.segment + 1)?, 0, before.at)
        }
    };
    let bytes = group.write(segment.key, at, end_before);
    Ok(PlacedGroup { segment, at, bytes, before, full })
}

impl PlacedGroup {
    /// Writes zeros where the group will be and after it, so that writing the group needs no room
    /// and does not change the length of the file.
    fn make_room(&self) -> Result<(), Error> {
        let there = self.segment.len()?;
        let needed = self.at + self.bytes.len() as u64;
        if needed <= there {
            return Ok(());
        }
        let length = needed + there.clamp(LEAST_ROOM, MOST_ROOM);
        let zeros = vec![0; (length - there) as usize];
        let file = &self.segment.file;
        write_all_at(file, &zeros, there).map_err(|error| {
            // What was written of it is only zeros.
            let _ = file.set_len(there);
            failed("making room in", &self.segment.path, error)
        })
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

/// The room that a segment gets beyond what is needed, in bytes.
const LEAST_ROOM: u64 = 64 << 10;
const MOST_ROOM: u64 = 512 << 10;
