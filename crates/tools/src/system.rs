//! Operations on entries of open folders that differ between systems.
//!
//! Each function has the same name and meaning in the module of every system, follows no link, and
//! acts in an open folder. Only this file distinguishes systems.

mod file_id;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use std::path::Path;

use cap_std::fs::Metadata;

pub(crate) use self::file_id::FileId;
#[cfg(unix)]
pub(crate) use self::unix::{
    Errno, HeldEntry, SharedBlocks, adopt_owner, create_new, enter, file_links, file_mode,
    file_times, hold, id_at, id_of, make_folder, may_write, open_entry, open_quietly,
    open_to_write, path_of_bytes, read_link, remove_file, remove_folder, rename, set_entry_mode,
    set_mode, share_blocks, special_kind, stat, symlink, sync_all, sync_file_system,
};
#[cfg(not(unix))]
pub(crate) use self::windows::{
    Errno, HeldHostFile as HeldEntry, SharedBlocks, adopt_owner, create_new, enter, file_links,
    file_mode, file_times, hold, id_at, id_of, make_folder, may_write, open_entry, open_quietly,
    open_to_write, path_of_bytes, read_link, remove_file, remove_folder, rename, set_entry_mode,
    set_mode, share_blocks, special_kind, stat, symlink, sync_all, sync_file_system,
};

/// The metadata of an entry of a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryStat {
    pub(crate) kind: StatKind,
    pub(crate) id: FileId,
    /// The length in bytes.
    pub(crate) length: u64,
    /// The permissions that an undo restores.
    pub(crate) mode: u32,
    /// The number of its names.
    pub(crate) links: u64,
    /// The time of the last change of the content, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// The time of the last change of the entry itself, in nanoseconds since 1970.
    pub(crate) changed: i64,
}

/// The kind of an entry of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatKind {
    File,
    Folder,
    Link,
    Special,
}

/// Returns the permissions of a file that replaces this one: its own, except for the bits that run
/// a program as another user or group, which a write in place takes away, too.
pub(crate) fn kept_mode(old: &Metadata) -> u32 {
    without_set_id(file_mode(old))
}

/// Returns the permissions without the bits that run a program as another user or group.
pub(crate) fn without_set_id(mode: u32) -> u32 {
    mode & 0o1777
}

impl FileId {
    pub(crate) fn from_metadata(metadata: &Metadata) -> Self {
        id_of(metadata)
    }

    /// Returns the id of the file or folder at a path of the host. Links are followed.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        id_at(path)
    }
}
