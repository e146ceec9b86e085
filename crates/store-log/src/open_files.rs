//! The files of segments that are open: a bounded number, those that were used last.
//!
//! A log may have more segments than a process may have files open. The name of a segment's file is
//! never used for another one, so a file that is opened again is the same or gone.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_store::Error;

use crate::fault::failed;
use crate::trust;

/// The open files of a log.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    /// The file that was used last is at the end.
    files: Mutex<VecDeque<OpenFile>>,
    is_outdated: AtomicBool,
}

#[derive(Debug)]
struct OpenFile {
    path: Arc<Path>,
    file: Arc<File>,
}

impl OpenFiles {
    /// Returns the file at a path, which is opened if it is not open.
    pub(crate) fn get(&self, path: &Arc<Path>) -> Result<Arc<File>, Error> {
        if let Some(file) = self.take(path) {
            return Ok(self.keep(path, file));
        }
        let opened = match open(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                // The process may have too many files open.
                self.retain(|_| false);
                open(path)
            }
            opened => opened,
        };
        match opened {
            Ok(file) => Ok(self.keep(path, Arc::new(file))),
            Err(error) => {
                let is_gone = error.kind() == io::ErrorKind::NotFound;
                self.is_outdated.fetch_or(is_gone, Ordering::Relaxed);
                Err(failed("opening", path, error))
            }
        }
    }

    /// Keeps a file open.
    pub(crate) fn keep(&self, path: &Arc<Path>, file: Arc<File>) -> Arc<File> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.push_back(OpenFile { path: Arc::clone(path), file: Arc::clone(&file) });
        if files.len() > MAX_OPEN {
            files.pop_front();
        }
        file
    }

    /// Closes the files whose paths are not wanted.
    pub(crate) fn retain(&self, is_wanted: impl Fn(&Path) -> bool) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|open| is_wanted(&open.path));
    }

    /// Returns whether a file was gone when it was to be opened: another process has rewritten its
    /// segment since the segments were listed.
    pub(crate) fn is_outdated(&self) -> bool {
        self.is_outdated.load(Ordering::Relaxed)
    }

    /// Says that the segments were listed.
    pub(crate) fn set_current(&self) {
        self.is_outdated.store(false, Ordering::Relaxed);
    }

    fn take(&self, path: &Arc<Path>) -> Option<Arc<File>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let index = files.iter().rposition(|open| open.path == *path)?;
        files.remove(index).map(|open| open.file)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let open = |is_writable| trust::open_options().read(true).write(is_writable).open(path);
    match open(true) {
        // A store that may only be read can be read.
        Err(error) if is_refused(&error) => open(false),
        opened => opened,
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// The number of files that stay open. Systems often allow 1,024 for all that a process does.
const MAX_OPEN: usize = 32;
