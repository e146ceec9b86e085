//! Protected paths that come into being while a command runs.
//!
//! A mount protects only existing paths. So the state of each protected path is recorded before a
//! command, and a path that the command creates is renamed. Without namespaces nothing needs to be
//! renamed, because then Landlock prevents new entries beside a protected path.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, openat};

use crate::linux::helper::held_folder::{
    DeviceAndInode, HeldFolder, entry, identity, identity_of, kind,
};

/// A protected path, with its entry before the command.
pub(super) struct ExactPath {
    /// The path, relative to the root.
    beneath: PathBuf,
    own: Option<DeviceAndInode>,
    /// The folder: a command can move it away, and make another.
    folder: Option<DeviceAndInode>,
}

/// An entry in a place where it does not belong.
pub(super) struct NewEntry {
    pub(super) opened: OwnedFd,
    /// The folder, relative to the root.
    pub(super) folder: PathBuf,
    pub(super) name: OsString,
}

impl ExactPath {
    /// Records the entry at a path; `None` for the root itself.
    pub(super) fn note(root: &HeldFolder, beneath: &Path) -> Option<Self> {
        let (folder, name) = (beneath.parent()?, beneath.file_name()?);
        let opened = root.search(folder).ok();
        let found = opened.as_ref().and_then(|folder| entry(folder, name));
        Some(Self {
            beneath: beneath.to_owned(),
            own: found.as_ref().map(identity),
            folder: opened.as_ref().and_then(identity_of),
        })
    }

    /// Returns the path, relative to the root.
    pub(super) fn beneath(&self) -> &Path {
        &self.beneath
    }

    /// Returns the entry at the path, if it was not there before. An existing one is guarded by a
    /// mount, and others can change it meanwhile, unless its whole folder was exchanged.
    pub(super) fn replaced(&self, root: &HeldFolder) -> Option<NewEntry> {
        let mut opened = root.search(Path::new("")).ok()?;
        let mut folder = PathBuf::new();
        for name in self.beneath.parent()?.iter() {
            // A link on the way leads to where the path has never been: the link itself is new.
            if kind(&entry(&opened, name)?) == FileType::Symlink {
                return Some(NewEntry { opened, folder, name: name.to_owned() });
            }
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            opened = openat(&opened, name, flags, Mode::empty()).ok()?;
            folder.push(name);
        }
        let name = self.beneath.file_name()?;
        let now = Some(identity(&entry(&opened, name)?));
        let is_guarded = self.own.is_some() && identity_of(&opened) == self.folder;
        let is_new = self.own != now && !is_guarded;
        is_new.then(|| NewEntry { opened, folder, name: name.to_owned() })
    }
}
