//! The files that every writing process needs, and its preparation for writing.

use std::path::{Path, PathBuf};

use silcrow_store::{Error, ErrorKind};

use crate::fault::removed;
use crate::file::{self, sync_folder, write_all_at};
use crate::folder::{self, FolderContents};
use crate::identity;
use crate::lock::{LockFile, LockGuard};
use crate::log::LogFiles;
use crate::mark::{Mark, MarkFile, Position};
use crate::names;
use crate::store_id::StoreId;

/// The lock and the mark of a store.
#[derive(Debug)]
pub(crate) struct StoreFiles {
    /// The store's folder.
    dir: PathBuf,
    lock: LockFile,
    pub(crate) mark: MarkFile,
    store: StoreId,
}

/// The reason why something was not written.
#[derive(Debug)]
pub(crate) enum CommitFailure {
    /// None of it is on the disk, and another one may be.
    Refused(Error),
    /// It is unknown how much of it is on the disk.
    Unknown(String),
}

impl From<Error> for CommitFailure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl CommitFailure {
    /// Returns the error for a caller that has to try again in both cases.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Refused(error) => error,
            Self::Unknown(cause) => {
                let message = format!("writing to the store failed: {cause}; check the disk");
                Error::new(ErrorKind::Io, message)
            }
        }
    }
}

impl StoreFiles {
    /// Opens the files of the store, and makes missing ones.
    pub(crate) fn open(dir: &Path) -> Result<Self, Error> {
        folder::make(dir)?;
        let lock = LockFile::make(dir)?;
        let guard = lock.take()?;
        let mark = make_mark(dir)?;
        let store = identity::make(dir)?;
        drop(guard);
        Ok(Self { dir: dir.to_owned(), lock, mark, store })
    }

    /// Waits for the lock. A mark that was removed meanwhile is made again, because others would
    /// not see groups that are written with the old one.
    ///
    /// # Errors
    ///
    /// - [`Locked`](ErrorKind::Locked): another process writes and does not end.
    /// - [`Io`](ErrorKind::Io): the store's folder was removed or replaced, or the system refused
    ///   something.
    pub(crate) fn lock(&mut self) -> Result<LockGuard, Error> {
        let guard = self.lock.take()?;
        self.check_mark()?;
        Ok(guard)
    }

    /// Takes the lock as [`lock`](Self::lock) does, if it is free.
    pub(crate) fn try_lock(&mut self) -> Result<Option<LockGuard>, Error> {
        let guard = self.lock.try_take()?;
        if guard.is_some() {
            self.check_mark()?;
        }
        Ok(guard)
    }

    fn check_mark(&mut self) -> Result<(), Error> {
        if !self.mark.is_in_place()? {
            if !file::is_there(&self.dir.join(names::SEGMENTS))? {
                return Err(removed(&self.dir));
            }
            self.mark = make_mark(&self.dir)?;
        }
        Ok(())
    }

    /// Brings the log up to date before a group. If a process died while it wrote, or the machine
    /// was restarted, complete records are made durable.
    pub(crate) fn prepare(&self, log: &mut LogFiles) -> Result<(), CommitFailure> {
        let mark = self.mark.read();
        if let Some(mark) = mark.filter(|mark| mark.is_exact() && !mark.is_writing) {
            log.catch_up_to(&self.mark, &mark)?;
            if log.is_at_end()? {
                log.segments.set_store(self.store);
                return Ok(());
            }
        }
        log.segments.set_store(self.store);
        log.catch_up_beyond_the_mark()?;
        write_again(log, mark)?;
        for segment in log.segments.from(mark.map_or(0, |mark| mark.end.segment)) {
            let synced = segment.file()?.sync_all();
            synced.map_err(|error| CommitFailure::Unknown(error.to_string()))?;
        }
        // A killed process may not have synced the files that it made.
        for folder in log.folder().ancestors().take(2) {
            sync_folder(folder)?;
        }
        // While bytes of an interrupted write follow the position, the next process has to look.
        let mark = Mark::new(log.position, log.rewrites, log.is_torn);
        self.mark.write(&mark).map_err(|error| CommitFailure::Unknown(error.to_string()))
    }
}

/// Makes the mark, and `FORMAT` if it is missing or damaged. Only for the process that has the lock.
fn make_mark(dir: &Path) -> Result<MarkFile, Error> {
    if folder::look(dir)? != FolderContents::Store {
        folder::write_format(dir)?;
    }
    MarkFile::make(dir)
}

/// Writes data again that may not be on the disk. If a sync failed, the system may have forgotten
/// that the data is not there, and another sync alone would not write it.
///
/// These are the bytes after the mark. Without an exact mark, it is unknown whether a sync failed
/// since the machine was started: then such bytes are in the last segment, because a group is
/// written only when all groups before it are synced.
fn write_again(log: &LogFiles, mark: Option<Mark>) -> Result<(), CommitFailure> {
    let last = Position { segment: log.position.segment, at: 0 };
    let from = match mark {
        Some(mark) if mark.is_exact() => mark.end,
        Some(mark) => mark.end.max(last),
        None => last,
    };
    let segments = log.segments.from(from.segment);
    for segment in segments.filter(|segment| !log.foreign.contains(&segment.number)) {
        let at = if segment.number == from.segment { from.at } else { 0 };
        let to = if segment.number == log.position.segment { Some(log.position.at) } else { None };
        let bytes = segment.read(at, to)?;
        let written = write_all_at(&*segment.file()?, &bytes, at);
        written.map_err(|error| CommitFailure::Unknown(error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use silcrow_store::Store as _;

    use super::StoreFiles;
    use crate::log::LogFiles;
    use crate::mark::Mark;
    use crate::options::Options;
    use crate::store::LogStore;

    /// A process was killed after it had made a segment, and before it wrote its group.
    /// Acknowledged records before that are recognized as damaged, and not taken for an interrupted
    /// write.
    #[tokio::test]
    async fn blank_segment_hides_no_earlier_damage() {
        let dir = tempfile::tempdir().unwrap();
        let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
        for (version, value) in [(0, "first"), (1, "second")] {
            store.put("s", "k", version, value.into()).await.unwrap();
        }
        drop(store);
        let mut log = LogFiles::new(dir.path());
        log.catch_up().unwrap();
        let segment = log.segments.get(1).unwrap().path.clone();
        let mut bytes = fs::read(&segment).unwrap();
        let at = bytes.windows(6).position(|part| part == b"second").unwrap();
        bytes[at] ^= 1;
        fs::write(&segment, bytes).unwrap();
        let mut files = StoreFiles::open(dir.path()).unwrap();
        let folder = log.folder();
        let blank = log.segments.make(&folder, 2).unwrap();
        blank.file().unwrap().set_len(64 << 10).unwrap();
        files.mark.write(&Mark::new(log.position, log.rewrites, true)).unwrap();

        let lock = files.lock().unwrap();
        files.prepare(&mut LogFiles::new(dir.path())).unwrap();
        drop(lock);
        let mut log = LogFiles::new(dir.path());
        log.catch_up().unwrap();
        let value = log.view.value("s", "k").unwrap();
        assert_eq!((value.version, value.place), (2, None));
    }
}
