//! The entry at a path with a protected name: which file it is, and its state.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{OsStr, OsString};
use std::hash::{Hash as _, Hasher as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{Dir, FileType, Mode, OFlags, openat};

use crate::linux::helper::held_folder::{DeviceAndInode, entry, identity, identity_of, kind};

/// The entry at a path.
pub(super) struct NotedPath {
    pub(super) own: Option<DeviceAndInode>,
    /// The folder: a command can move it away, and make another.
    pub(super) folder: Option<DeviceAndInode>,
    /// A number for its state; `None` if the kernel guards it.
    pub(super) state: Option<u64>,
}

impl NotedPath {
    /// Records the entry with a name in a folder.
    pub(super) fn new(folder: impl AsFd, name: &OsStr, is_guarded: bool) -> Self {
        let folder = folder.as_fd();
        Self {
            own: entry(folder, name).as_ref().map(identity),
            folder: identity_of(folder),
            state: (!is_guarded).then(|| state(folder, name)),
        }
    }

    pub(super) const fn is_guarded(&self) -> bool {
        self.state.is_none()
    }
}

/// Returns a number for the state of a file, or of a folder with all its contents. Every change
/// gives another number, because no process can set the time of the last change.
fn state(folder: BorrowedFd<'_>, name: &OsStr) -> u64 {
    let mut hasher = DefaultHasher::new();
    add(folder, name, &mut hasher);
    hasher.finish()
}

fn add(folder: BorrowedFd<'_>, name: &OsStr, hasher: &mut DefaultHasher) {
    name.hash(hasher);
    let Some(found) = entry(folder, name) else { return };
    (found.st_ino, found.st_size, found.st_ctime, found.st_ctime_nsec).hash(hasher);
    if kind(&found) != FileType::Directory {
        return;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(opened) = openat(folder, name, flags, Mode::empty()) else { return };
    for inside in names(opened.as_fd()) {
        add(opened.as_fd(), &inside, hasher);
    }
}

/// Returns the names in a folder, in order.
fn names(folder: BorrowedFd<'_>) -> Vec<OsString> {
    let entries = Dir::read_from(folder).into_iter().flatten().filter_map(Result::ok);
    let names = entries.map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    let mut names: Vec<_> = names.filter(|name| name != "." && name != "..").collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn any_change_in_folder_changes_its_state() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".husky/deep")).unwrap();
        let file = folder.path().join(".husky/deep/pre-commit");
        fs::write(&file, "a").unwrap();
        let opened = fs::File::open(folder.path()).unwrap();
        let now = || NotedPath::new(&opened, OsStr::new(".husky"), false).state.unwrap();
        let before = now();
        assert_eq!(now(), before);
        fs::write(&file, "longer").unwrap();
        assert_ne!(now(), before);
    }
}
