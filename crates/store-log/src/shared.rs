//! The shared state of the store, its writer and its readers.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use silcrow_store::{Error, HeadWatchers};

use crate::log::LogFiles;

/// The log of an open store, and its followers.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) dir: PathBuf,
    log: RwLock<LogFiles>,
    pub(crate) heads: HeadWatchers,
}

impl Shared {
    pub(crate) fn new(dir: PathBuf) -> Self {
        let log = RwLock::new(LogFiles::new(&dir));
        Self { dir, log, heads: HeadWatchers::default() }
    }

    /// Returns the log with everything that was acknowledged.
    pub(crate) fn log(&self) -> Result<RwLockReadGuard<'_, LogFiles>, Error> {
        let caught_up = self.log_for_writing().catch_up();
        // Something may have been read before an error.
        if !matches!(caught_up, Ok(false)) {
            self.publish_heads();
        }
        caught_up?;
        Ok(self.log.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Wakes the followers of conversations that are longer than they have read.
    pub(crate) fn publish_heads(&self) {
        let log = self.log.read().unwrap_or_else(PoisonError::into_inner);
        self.heads.publish_all(|conversation| log.head(conversation));
    }

    /// Reads everything that was acknowledged, and reads again if another process has rewritten a
    /// segment meanwhile.
    pub(crate) fn read<T>(&self, read: impl Fn(&LogFiles) -> Result<T, Error>) -> Result<T, Error> {
        for _ in 0..TRIES {
            let log = self.log()?;
            let done = read(&log);
            if !log.segments.is_outdated() {
                return done;
            }
        }
        read(&*self.log()?)
    }

    /// Returns the log as it was when it was last brought up to date.
    pub(crate) fn log_for_writing(&self) -> RwLockWriteGuard<'_, LogFiles> {
        // The view takes one record after the other, so it is usable even after a panic.
        self.log.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of times that something is read again because others rewrite its segment.
const TRIES: u32 = 8;
