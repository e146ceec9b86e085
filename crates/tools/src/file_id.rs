//! The identity of a file or folder.
//!
//! This module knows devices and inodes. It does not know paths beneath a root.

use std::path::Path;

use cap_std::fs::{Metadata, MetadataExt as _};

/// The device and the inode of a file or folder, which no link, mount or spelling changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileId {
    pub(crate) dev: u64,
    pub(crate) ino: u64,
}

impl FileId {
    pub(crate) const fn new(dev: u64, ino: u64) -> Self {
        Self { dev, ino }
    }

    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self { dev: metadata.dev(), ino: metadata.ino() }
    }

    /// Returns the id of the file or folder at a path of the host. Links are followed.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|at| Self::of(&Metadata::from_just_metadata(at)))
    }
}
