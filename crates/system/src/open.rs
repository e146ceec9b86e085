//! Options for opening files.

use std::fs::OpenOptions;

/// Extends [`OpenOptions`] with operations that differ between systems.
///
/// ```
/// use std::fs::OpenOptions;
///
/// use silcrow_system::SystemOpen as _;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("key");
/// // Only the user can read this file.
/// OpenOptions::new().write(true).create_new(true).private().open(&path)?;
/// assert!(OpenOptions::new().read(true).plain().open(&path).is_ok());
/// # std::io::Result::Ok(())
/// ```
pub trait SystemOpen {
    /// Makes a new file readable and writable only for the user. An existing file stays as it is.
    fn private(&mut self) -> &mut Self;

    /// Follows no link in the place of the file. On Unix opening one fails. Elsewhere the link
    /// itself is opened, so check that [the metadata](std::fs::File::metadata) of the opened file
    /// are a file's.
    fn without_links(&mut self) -> &mut Self;

    /// Does not wait for the other end of a pipe. Links are followed.
    fn without_waiting(&mut self) -> &mut Self;

    /// Follows no link, and does not wait for the other end of a pipe or become the terminal of the
    /// process: for a name that a stranger may have made. Check that you have opened a file.
    fn plain(&mut self) -> &mut Self;
}

#[cfg(unix)]
impl SystemOpen for OpenOptions {
    fn private(&mut self) -> &mut Self {
        std::os::unix::fs::OpenOptionsExt::mode(self, 0o600)
    }

    fn without_links(&mut self) -> &mut Self {
        flags(self, rustix::fs::OFlags::NOFOLLOW)
    }

    fn without_waiting(&mut self) -> &mut Self {
        flags(self, rustix::fs::OFlags::NONBLOCK)
    }

    fn plain(&mut self) -> &mut Self {
        use rustix::fs::OFlags;

        flags(self, OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY)
    }
}

#[cfg(unix)]
fn flags(options: &mut OpenOptions, flags: rustix::fs::OFlags) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed())
}

#[cfg(not(unix))]
impl SystemOpen for OpenOptions {
    fn private(&mut self) -> &mut Self {
        self
    }

    fn without_links(&mut self) -> &mut Self {
        std::os::windows::fs::OpenOptionsExt::custom_flags(self, OPEN_THE_LINK)
    }

    fn without_waiting(&mut self) -> &mut Self {
        self
    }

    fn plain(&mut self) -> &mut Self {
        self.without_links()
    }
}

/// The flag `FILE_FLAG_OPEN_REPARSE_POINT`.
#[cfg(not(unix))]
const OPEN_THE_LINK: u32 = 0x0020_0000;
