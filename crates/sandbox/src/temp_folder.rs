//! A folder for the temporary files of commands, which is removed at the end.
//!
//! A process that is killed leaves its folder. Later processes remove such folders if they are
//! empty and nobody owns them: an owner has its folder locked, and the kernel unlocks it when the
//! owner ends. If a folder cannot be locked, abandoned ones stay.

#[cfg(unix)]
#[path = "temp_folder/unix.rs"]
mod owner;
#[cfg(not(unix))]
#[path = "temp_folder/other.rs"]
mod owner;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, process};

#[cfg(not(unix))]
use self::owner::NoOwnerLock as OwnerLock;
#[cfg(unix)]
use self::owner::OwnerLock;
use self::owner::{create, lock, sweep};
use crate::error::{Error, ErrorKind};

/// A folder that only this user can open. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TempFolder {
    path: PathBuf,
    /// Shows that the folder has an owner, if a folder can be locked.
    _lock: OwnerLock,
}

impl TempFolder {
    pub(crate) fn new() -> Result<Self, Error> {
        static SWEPT: Once = Once::new();
        let parent = env::temp_dir();
        let failed = |error| {
            let words = format!("cannot make a temporary folder in {}", parent.display());
            Error::new(ErrorKind::Io, words).with_source(error)
        };
        let parent = parent.canonicalize().map_err(failed)?;
        SWEPT.call_once(|| sweep(&parent));
        Self::new_in(&parent).map_err(failed)
    }

    fn new_in(parent: &Path) -> io::Result<Self> {
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{PREFIX}{}-{number}", process::id()));
            match create(&path) {
                Ok(()) => {}
                // An earlier process with the same number was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            // Another process that sees no owner yet may remove it.
            if let Some(lock) = lock(&path)? {
                return Ok(Self { path, _lock: lock });
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is left for the system to clean.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The number of the next folder of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// The beginning of the name of each folder.
const PREFIX: &str = "silcrow-";
