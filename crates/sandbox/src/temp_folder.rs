//! A folder for the temporary files of commands, which is removed at the end.
//!
//! A process that is killed leaves its folder. The next one removes those that are empty and that
//! nobody owns: an owner has its folder locked, and the kernel unlocks it when the owner ends.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, process};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::error::{Error, ErrorKind};

/// A folder that only this user can open. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct TempFolder {
    path: PathBuf,
    /// Says that the folder has an owner.
    _lock: File,
}

impl TempFolder {
    pub(crate) fn new() -> Result<Self, Error> {
        static SWEPT: Once = Once::new();
        let parent = env::temp_dir();
        let failed = |error| {
            let words = format!("no temporary folder can be made in {}", parent.display());
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
            match DirBuilder::new().mode(0o700).create(&path) {
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
        // What cannot be removed stays for the system to clean.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Locks a folder; `None` if another process has it or has removed it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let folder = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    if folder.try_lock().is_err() {
        return Ok(None);
    }
    let own = folder.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) if (there.dev(), there.ino()) == (own.dev(), own.ino()) => Ok(Some(folder)),
        _ => Ok(None),
    }
}

/// Removes empty folders that nobody owns. What cannot be removed stays.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_left = owner(&entry.file_name()).is_some_and(|owner| !is_running(owner));
        if is_left && let Ok(Some(_lock)) = lock(&entry.path()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Returns the process that made a folder of this name, if it is one of ours.
fn owner(name: &OsStr) -> Option<Pid> {
    let (process, number) = name.to_str()?.strip_prefix(PREFIX)?.split_once('-')?;
    number.parse::<u64>().ok()?;
    Pid::from_raw(process.parse().ok()?)
}

/// Returns whether there is a process with this number. Earlier versions lock nothing.
fn is_running(process: Pid) -> bool {
    test_kill_process(process) != Err(Errno::SRCH)
}

/// The beginning of the name of each folder.
const PREFIX: &str = "silcrow-";

/// The number of the next folder of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_folders_of_killed_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let parent = parent.path();
        // No process has such a number.
        let names = ["silcrow-2000000000-0", "silcrow-2000000000-1", "silcrow-2000000000-2"];
        // This process runs, and the others are not ours.
        let running = format!("silcrow-{}-77", process::id());
        let others = [&*running, "silcrow-x-1", "silcrow-2000000000", "silcrow-2000000000-x"];
        for name in names.iter().chain(&others) {
            fs::create_dir(parent.join(name)).unwrap();
        }
        fs::write(parent.join(names[1]).join("a"), "a").unwrap();
        let owned = lock(&parent.join(names[2])).unwrap().unwrap();
        let own = TempFolder::new_in(parent).unwrap();
        sweep(parent);
        assert!(!parent.join(names[0]).exists(), "it is empty, and nobody has it");
        for name in names[1..].iter().chain(&others) {
            assert!(parent.join(name).exists(), "{name}");
        }
        assert!(own.path().exists());

        drop((owned, own));
        sweep(parent);
        assert!(!parent.join(names[2]).exists(), "its owner is gone");
    }
}
