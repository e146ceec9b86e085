//! The identity of a file or folder.
//!
//! It consists of a device and an inode.

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
}
