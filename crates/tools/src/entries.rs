//! The entries of a folder, in order and in bounded memory.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::io;

use cap_std::fs::{Dir, DirEntry};
use silcrow_tool::CancellationToken;

/// The kinds of entries that a walk distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    Folder,
    File,
    /// A link, a pipe, a socket or a device.
    Other,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FolderEntry {
    pub(crate) name: OsString,
    pub(crate) kind: EntryKind,
}

impl FolderEntry {
    fn from_dir_entry(entry: &DirEntry) -> Self {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => EntryKind::Folder,
            Ok(kind) if kind.is_file() => EntryKind::File,
            Ok(kind) if kind.is_symlink() => EntryKind::Other,
            // Some file systems do not list the kinds.
            _ => match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => EntryKind::Folder,
                Ok(metadata) if metadata.is_file() => EntryKind::File,
                _ => EntryKind::Other,
            },
        };
        Self { name: entry.file_name(), kind }
    }
}

impl Ord for FolderEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl PartialOrd for FolderEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The first entries of a folder, sorted by name, and the number of others, which are counted and
/// not kept.
pub(crate) struct FirstEntries {
    pub(crate) first: Vec<FolderEntry>,
    pub(crate) others: usize,
}

impl FirstEntries {
    /// Reads the first `max` entries of a folder. If the call is cancelled meanwhile, entries are
    /// missing.
    pub(crate) fn read(dir: &Dir, max: usize, cancel: &CancellationToken) -> io::Result<Self> {
        // The last name is on top of the heap and is removed when there are too many.
        let mut first = BinaryHeap::new();
        let mut others = 0;
        for entry in dir.read_dir(".")? {
            if cancel.is_cancelled() {
                break;
            }
            first.push(FolderEntry::from_dir_entry(&entry?));
            if first.len() > max {
                first.pop();
                others += 1;
            }
        }
        Ok(Self { first: first.into_sorted_vec(), others })
    }

    /// Returns whether there is an entry with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.first.binary_search_by(|entry| entry.name.as_os_str().cmp(name.as_ref())).is_ok()
    }
}
