//! The metadata of a file.

use std::fs::{File, Metadata};
use std::io;

/// Extends [`Metadata`] with operations that differ between systems.
///
/// ```
/// use silcrow_system::SystemMetadata as _;
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.md");
/// std::fs::write(&path, "Buy bread.")?;
/// let before = std::fs::metadata(&path)?;
/// assert!(before.is_own());
///
/// std::fs::write(&path, "Buy bread and milk.")?;
/// assert_ne!(std::fs::metadata(&path)?.stamp(), before.stamp());
/// # std::io::Result::Ok(())
/// ```
pub trait SystemMetadata {
    /// Returns whether the file belongs to the user of this process. On systems without owners,
    /// this is true of every file.
    fn is_own(&self) -> bool;

    /// Returns whether the mode lets others read, write or run the file.
    fn is_open_to_others(&self) -> bool;

    /// Returns whether the mode lets others write.
    fn is_writable_by_others(&self) -> bool;

    /// Returns whether the file can be started as a program, judged by the metadata: on systems
    /// without modes, the name decides, and this is true of every file.
    fn is_program(&self) -> bool;

    /// Returns the bits of the mode, such as `0o644`, or `None` on systems without modes.
    fn mode_bits(&self) -> Option<u32>;

    /// Returns the device and the number of the file, or `None` if only an open file has them.
    fn identity(&self) -> Option<(u64, u64)>;

    /// Returns numbers that differ after the file was changed or replaced, if the system reports
    /// the change: its identity, its length and its times.
    fn stamp(&self) -> [u64; 5];
}

#[cfg(unix)]
impl SystemMetadata for Metadata {
    fn is_own(&self) -> bool {
        std::os::unix::fs::MetadataExt::uid(self) == rustix::process::geteuid().as_raw()
    }

    fn is_open_to_others(&self) -> bool {
        bits(self) & 0o077 != 0
    }

    fn is_writable_by_others(&self) -> bool {
        bits(self) & 0o022 != 0
    }

    fn is_program(&self) -> bool {
        self.is_file() && bits(self) & 0o111 != 0
    }

    fn mode_bits(&self) -> Option<u32> {
        Some(bits(self))
    }

    fn identity(&self) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt as _;

        Some((self.dev(), self.ino()))
    }

    fn stamp(&self) -> [u64; 5] {
        use std::os::unix::fs::MetadataExt as _;

        let changed = nanoseconds(self.ctime(), self.ctime_nsec());
        let written = nanoseconds(self.mtime(), self.mtime_nsec());
        [self.dev(), self.ino(), self.len(), written, changed]
    }
}

#[cfg(unix)]
fn bits(found: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::mode(found) & 0o7777
}

/// Returns one number for a time, which may begin again after five centuries.
#[cfg(unix)]
fn nanoseconds(seconds: i64, rest: i64) -> u64 {
    seconds.wrapping_mul(1_000_000_000).wrapping_add(rest).cast_unsigned()
}

#[cfg(not(unix))]
impl SystemMetadata for Metadata {
    fn is_own(&self) -> bool {
        true
    }

    fn is_open_to_others(&self) -> bool {
        false
    }

    fn is_writable_by_others(&self) -> bool {
        false
    }

    fn is_program(&self) -> bool {
        self.is_file()
    }

    fn mode_bits(&self) -> Option<u32> {
        None
    }

    fn identity(&self) -> Option<(u64, u64)> {
        None
    }

    fn stamp(&self) -> [u64; 5] {
        use std::os::windows::fs::MetadataExt as _;

        [0, 0, self.file_size(), self.last_write_time(), self.creation_time()]
    }
}

/// Takes the rights of others to a file away, on systems with modes.
///
/// # Errors
///
/// Returns the error of the system.
pub fn make_private(file: &File) -> io::Result<()> {
    set_mode(file, 0o600)
}

/// Gives a file these bits of a mode, on systems with modes.
///
/// # Errors
///
/// Returns the error of the system.
#[cfg(unix)]
pub fn set_mode(file: &File, bits: u32) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(bits))
}

/// Gives a file these bits of a mode, on systems with modes.
///
/// # Errors
///
/// Returns the error of the system.
#[cfg(not(unix))]
#[expect(clippy::missing_const_for_fn, reason = "it is none on other systems")]
pub fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
