//! The owner of a temporary folder on Unix: only this user can open it, and a lock shows that it is
//! in use.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, OFlags, unlinkat};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::PREFIX;

/// The open folder, which is locked.
pub(super) type OwnerLock = File;

/// Makes a folder that only this user can open.
pub(super) fn create(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Locks a folder; `None` if another process holds the lock or has removed the folder.
pub(super) fn lock(path: &Path) -> io::Result<Option<OwnerLock>> {
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

/// Removes folders that nobody owns and that contain only empty folders. If one cannot be removed,
/// it stays. Only a few folders are checked, because a starting command waits for this.
pub(super) fn sweep(parent: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let is_left = |name: &OsStr| owner(name).is_some_and(|owner| !is_running(owner));
    for left in entries.filter(|entry| is_left(&entry.file_name())).take(MOST_SWEPT) {
        if let Ok(Some(folder)) = lock(&left.path()) {
            remove_empty_folders(&folder);
            let _ = fs::remove_dir(left.path());
        }
    }
}

/// Removes the empty folders in a folder, such as the one in which a sandbox hides secrets.
fn remove_empty_folders(folder: &File) {
    for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            // This removes neither a file nor a folder with contents.
            let _ = unlinkat(folder, entry.file_name(), AtFlags::REMOVEDIR);
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

/// The maximum number of folders that are checked.
const MOST_SWEPT: usize = 32;

#[cfg(test)]
mod tests {
    use super::super::TempFolder;
    use super::*;

    #[test]
    fn empty_folders_of_killed_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let parent = parent.path();
        // No process has such a number.
        let names = ["silcrow-2000000000-0", "silcrow-2000000000-1", "silcrow-2000000000-2"];
        // This process runs, and the others are not ours.
        let running = format!("silcrow-{}-77", std::process::id());
        let others = [&*running, "silcrow-x-1", "silcrow-2000000000", "silcrow-2000000000-x"];
        for name in names.iter().chain(&others) {
            fs::create_dir(parent.join(name)).unwrap();
        }
        fs::create_dir(parent.join(names[0]).join("hidden")).unwrap();
        fs::write(parent.join(names[1]).join("a"), "a").unwrap();
        let owned = lock(&parent.join(names[2])).unwrap().unwrap();
        let own = TempFolder::new_in(parent).unwrap();
        sweep(parent);
        assert!(!parent.join(names[0]).exists(), "it has nothing, and nobody has it");
        for name in names[1..].iter().chain(&others) {
            assert!(parent.join(name).exists(), "{name}");
        }
        assert!(own.path().exists());

        drop((owned, own));
        sweep(parent);
        assert!(!parent.join(names[2]).exists(), "its owner is gone");
    }

    #[test]
    fn many_folders_are_removed_by_and_by() {
        let parent = tempfile::tempdir().unwrap();
        let left = || fs::read_dir(parent.path()).unwrap().count();
        for number in 0..MOST_SWEPT + 1 {
            fs::create_dir(parent.path().join(format!("silcrow-2000000000-{number}"))).unwrap();
        }
        sweep(parent.path());
        assert_eq!(left(), 1);
        sweep(parent.path());
        assert_eq!(left(), 0);
    }
}
