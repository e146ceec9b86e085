//! The identity of a file: whether a name still leads to the file that is open.
//!
//! On Linux this module asks for nothing else, because it asks before every write. A file whose
//! times were asked for gets new ones with its next write, and some file systems write those to the
//! disk with the next sync, even for a file that has its record beside.

use std::fs::File;
use std::io;
use std::path::Path;

use silcrow_store::Error;

pub(crate) use self::system::FileIdentity;
use crate::fault::failed;

impl FileIdentity {
    /// Returns whether the file is still at its path. Others may have removed or replaced it.
    pub(crate) fn is_at(self, path: &Path) -> Result<bool, Error> {
        match Self::at(path) {
            Ok(found) => Ok(found == self),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed("reading", path, error)),
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt as _;

    use super::{File, Path, io};

    /// The identity of a file on this machine.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct FileIdentity {
        device: u64,
        inode: u64,
    }

    impl FileIdentity {
        pub(crate) fn from_file(file: &File) -> io::Result<Self> {
            file.metadata().map(|found| Self::new(&found))
        }

        pub(super) fn at(path: &Path) -> io::Result<Self> {
            #[cfg(target_os = "linux")]
            if let Some(id) = Self::alone(path) {
                return Ok(id);
            }
            path.symlink_metadata().map(|found| Self::new(&found))
        }

        /// Asks for the identity alone, if the kernel has a call for that.
        #[cfg(target_os = "linux")]
        fn alone(path: &Path) -> Option<Self> {
            use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};

            let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::INO).ok()?;
            let device = makedev(found.stx_dev_major, found.stx_dev_minor);
            Some(Self { device, inode: found.stx_ino })
        }

        /// Returns the number that the kernel's lists have for the file.
        pub(crate) fn inode(self) -> Option<u64> {
            Some(self.inode)
        }

        fn new(found: &Metadata) -> Self {
            Self { device: found.dev(), inode: found.ino() }
        }
    }
}

/// Systems on which the standard library does not identify the file.
#[cfg(not(unix))]
mod system {
    use super::{File, Path, io};

    pub(crate) use AnyFile as FileIdentity;

    /// Any file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct AnyFile;

    impl AnyFile {
        pub(crate) fn from_file(_: &File) -> io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn at(path: &Path) -> io::Result<Self> {
            path.symlink_metadata().map(|_| Self)
        }

        pub(crate) fn inode(self) -> Option<u64> {
            None
        }
    }
}
