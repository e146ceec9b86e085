//! The lock that keeps commands that change the data of one repository from putting back each
//! other's work.
//!
//! A mount guards the same paths for all of them, so they may run together. If paths are noted and
//! put back, one command would note changes that another has not put back yet.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};

use crate::linux::helper::held_folder::HeldFolder;

/// A lock of a git folder, which the kernel takes off when this process ends.
#[derive(Default)]
pub(super) struct DataLock {
    opened: Option<OwnedFd>,
    is_alone: bool,
}

impl DataLock {
    /// Locks the folder, either alone or shared.
    ///
    /// # Errors
    ///
    /// Returns an error if others keep it for some seconds.
    pub(super) fn take(&mut self, folder: &HeldFolder, is_alone: bool) -> io::Result<()> {
        if self.opened.is_some() && (self.is_alone || !is_alone) {
            return Ok(());
        }
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => folder.read(Path::new(""))?,
        };
        let how = match is_alone {
            true => FlockOperation::NonBlockingLockExclusive,
            false => FlockOperation::NonBlockingLockShared,
        };
        let deadline = Instant::now() + PATIENCE;
        while let Err(error) = flock(&opened, how) {
            if Instant::now() > deadline {
                let words = "another command that may change the data of the repository still runs; \
                    wait for it, or stop it first";
                return Err(io::Error::other(format!("{words} ({error})")));
            }
            thread::sleep(PAUSE);
        }
        (self.opened, self.is_alone) = (Some(opened), is_alone);
        Ok(())
    }
}

/// The time that a command waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(20);
