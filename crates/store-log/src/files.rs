//! The files that every process that writes needs, and what it does before it writes.

use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::file::{sync_folder, write_all_at};
use crate::folder::{self, FolderContents};
use crate::lock::LockFile;
use crate::log::LogFiles;
use crate::mark::{Mark, MarkFile, Position};

/// The lock and the mark of a store.
#[derive(Debug)]
pub(crate) struct StoreFiles {
    pub(crate) lock: LockFile,
    pub(crate) mark: MarkFile,
}

/// The reason why something was not written.
#[derive(Debug)]
pub(crate) enum CommitFailure {
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

impl CommitFailure {
    /// Returns the error for a caller for whom both mean that it has to try again.
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
    /// Opens the files of the store, and makes what is missing.
    pub(crate) fn open(dir: &Path) -> Result<Self, Error> {
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

    /// Returns whether the mark is still where it was opened.
    pub(crate) fn is_in_place(&self) -> Result<bool, Error> {
        self.mark.is_in_place()
    }

    /// Brings the log up to date before a group. If a process died while it wrote, or the machine
    /// was restarted, what was written completely is made to stay.
    pub(crate) fn prepare(&self, log: &mut LogFiles) -> Result<(), CommitFailure> {
        if !self.is_in_place()? {
            // Others would not see what is written with it.
            let message = "the file MARK of the store was removed while it was in use; try again";
            return Err(Error::new(ErrorKind::Unavailable, message).into());
        }
        let mark = self.mark.read();
        if mark.is_some_and(|mark| mark.is_exact() && !mark.is_writing) {
            log.catch_up()?;
            if log.is_at_end()? {
                return Ok(());
            }
        }
        log.catch_up_beyond_the_mark()?;
        if let Some(mark) = mark.filter(Mark::is_exact) {
            write_again(log, mark.end)?;
        }
        for segment in log.segments.from(mark.map_or(0, |mark| mark.end.segment)) {
            let synced = segment.file.sync_all();
            synced.map_err(|error| CommitFailure::Unknown(error.to_string()))?;
        }
        // A process that was killed may not have come to syncing what it made.
        for folder in log.folder().ancestors().take(2) {
            sync_folder(folder)?;
        }
        // While bytes of an interrupted write follow the position, the next process has to look.
        let mark = Mark::new(log.position, log.rewrites, log.is_torn);
        self.mark.write(&mark).map_err(|error| CommitFailure::Unknown(error.to_string()))
    }
}

/// Writes what follows a position again. If a sync failed, the system may have forgotten that it is
/// not on the disk, and another sync alone would not get it there.
fn write_again(log: &LogFiles, from: Position) -> Result<(), CommitFailure> {
    for segment in log.segments.from(from.segment) {
        let at = if segment.number == from.segment { from.at } else { 0 };
        let to = if segment.number == log.position.segment { Some(log.position.at) } else { None };
        let bytes = segment.read(at, to)?;
        let written = write_all_at(&segment.file, &bytes, at);
        written.map_err(|error| CommitFailure::Unknown(error.to_string()))?;
    }
    Ok(())
}
