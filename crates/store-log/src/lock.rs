//! The lock: one process at a time writes.
//!
//! This module handles the file `LOCK`, which the kernel locks for the time of one group. A process
//! that dies gives it back. A process that is stopped does not, so the wait has an end.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
// The writer's thread waits here, outside any runtime.
use std::time::{Duration, Instant};

use silcrow_store::{Error, ErrorKind};

use crate::fault::{failed, removed};
use crate::file_identity::FileIdentity;
use crate::{names, trust};

/// The open file.
#[derive(Debug)]
pub(crate) struct LockFile {
    path: PathBuf,
    file: Arc<File>,
    id: FileIdentity,
}

/// Holds the lock until it is dropped.
#[derive(Debug)]
pub(crate) struct LockGuard(Arc<File>);

impl LockFile {
    /// Opens the lock of the store in `dir`, and makes it if there is none.
    pub(crate) fn make(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(names::LOCK);
        let mut options = trust::open_options();
        let made = options.read(true).write(true).create(true).truncate(false).open(&path);
        let file = made.map_err(|error| failed("opening", &path, error))?;
        let id = FileIdentity::from_file(&file).map_err(|error| failed("reading", &path, error))?;
        Ok(Self { path, file: Arc::new(file), id })
    }

    /// Waits for the lock.
    ///
    /// # Errors
    ///
    /// - [`Locked`](ErrorKind::Locked) after [`PATIENCE`], with the process that has it.
    /// - [`Io`](ErrorKind::Io) if the store's folder is no longer there.
    pub(crate) fn take(&self) -> Result<LockGuard, Error> {
        let begin = Instant::now();
        let mut pause = SHORTEST_PAUSE;
        loop {
            match self.file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(self.locked()),
                Err(TryLockError::Error(error)) => {
                    return Err(failed("locking", &self.path, error));
                }
            }
        }
        let guard = LockGuard(Arc::clone(&self.file));
        self.check_place()?;
        Ok(guard)
    }

    /// Takes the lock if it is free.
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io) if the store's folder is no longer there, or the system refused something.
    pub(crate) fn try_take(&self) -> Result<Option<LockGuard>, Error> {
        match self.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(failed("locking", &self.path, error)),
        }
        let guard = LockGuard(Arc::clone(&self.file));
        self.check_place()?;
        Ok(Some(guard))
    }

    /// Checks that the file is still at its path: the folder may have been removed or replaced.
    fn check_place(&self) -> Result<(), Error> {
        match self.id.is_at(&self.path)? {
            true => Ok(()),
            false => Err(removed(&self.path.with_file_name(""))),
        }
    }

    fn locked(&self) -> Error {
        // While others lock and unlock their files, a line of the kernel's list can be missed.
        let who = match (0..TRIES).find_map(|_| holder(self.id)) {
            Some((process, true)) => format!(
                "process {process}, which is stopped, is writing to it; continue that process with \
                 `kill -CONT {process}`, or end it"
            ),
            Some((process, false)) => {
                format!("process {process} is writing to it; wait for it, or end it")
            }
            None => "another process is writing to it; wait for it, or end it".to_owned(),
        };
        let waited = PATIENCE.as_secs();
        let message = format!(
            "the store {} was busy for {waited} seconds: {who}",
            self.path.with_file_name("").display()
        );
        Error::new(ErrorKind::Locked, message)
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        // Closing the file would not do: a child that is being started has a copy of it until it
        // runs its program.
        let _ = self.0.unlock();
    }
}

/// Returns the process that has the lock and whether it is stopped, if the kernel shows it.
fn holder(id: FileIdentity) -> Option<(u32, bool)> {
    let inode = id.inode()?;
    let locks = fs::read_to_string("/proc/locks").ok()?;
    // `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`
    let process = locks.lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, "FLOCK", _, _, process, place, ..] = words[..] else { return None };
        let ours = place.rsplit(':').next()?.parse() == Ok(inode);
        ours.then(|| process.parse::<u32>().ok()).flatten()
    })?;
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name before the state may contain anything, parentheses too.
    let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    Some((process, matches!(state, Some('T' | 't'))))
}

const TRIES: u32 = 10;

/// The time for which a process waits for other writers.
const PATIENCE: Duration = Duration::from_secs(10);

const SHORTEST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);
