//! Files that a project may have put there: their owners, and opening them.

#[cfg(unix)]
pub(crate) use self::unix::{is_own, open_plain};

#[cfg(not(unix))]
pub(crate) use self::other::{is_own, open_plain};

#[cfg(unix)]
mod unix {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
    use std::path::Path;

    use rustix::fs::OFlags;
    use rustix::process::geteuid;

    /// Returns whether a file or folder belongs to the user. A link does not count.
    pub(crate) fn is_own(path: &Path) -> bool {
        let own = geteuid().as_raw();
        fs::symlink_metadata(path).is_ok_and(|at| !at.is_symlink() && at.uid() == own)
    }

    /// Opens a file to read it, follows no link, and does not wait for a pipe.
    pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)
    }
}

#[cfg(not(unix))]
mod other {
    use std::fs::{self, File};
    use std::io;
    use std::path::Path;

    /// Returns whether there is a file or folder that is not a link. Its owner is not checked.
    pub(crate) fn is_own(path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|at| !at.is_symlink())
    }

    /// Opens a file to read it, unless it is a link.
    pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
        match fs::symlink_metadata(path)?.is_file() {
            true => File::open(path),
            false => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}
