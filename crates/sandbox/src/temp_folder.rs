//! A folder for the temporary files of commands, which is removed at the end.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, process};

use crate::error::{Error, ErrorKind};

/// A folder that only this user can open. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TempFolder(PathBuf);

impl TempFolder {
    pub(crate) fn new() -> Result<Self, Error> {
        let parent = env::temp_dir();
        let failed = |error| {
            let words = format!("no temporary folder can be made in {}", parent.display());
            Error::new(ErrorKind::Io, words).with_source(error)
        };
        let parent = parent.canonicalize().map_err(failed)?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("silcrow-{}-{number}", process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                // An earlier process with the same number was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // What cannot be removed stays for the system to clean.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The number of the next folder of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);
