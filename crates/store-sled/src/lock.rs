//! The lock of an old store, which one process at a time has.
//!
//! This module knows the file `LOCK`, which names the process. The kernel unlocks it when the
//! process ends, even if it is killed.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::Path;

use silcrow_store::Error;

use crate::fault::{failed, locked};
use crate::trust::open_options;

/// The lock, which this process has until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock of the store in `dir`.
    ///
    /// # Errors
    ///
    /// Returns [`Locked`](silcrow_store::ErrorKind::Locked) if another has it.
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join("LOCK");
        let mut options = open_options();
        let opened = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|error| failed("opening", &path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked(dir, &holder(&mut file))),
            Err(TryLockError::Error(error)) => return Err(failed("locking", &path, error)),
        }
        // If the disk is full, the file is locked and does not say by whom.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self(file))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child that is being started has a copy of the
        // descriptor until it runs its program.
        let _ = self.0.unlock();
    }
}

/// Returns who has the lock, as far as it has said so.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let read = file.take(32).read_to_string(&mut text);
    match (read, text.trim().parse::<u32>()) {
        (Ok(_), Ok(id)) => format!("process {id}"),
        _ => "another process".to_owned(),
    }
}
