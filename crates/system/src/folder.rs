//! Folders: private ones, their locks, and their survival of a power cut.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;

/// Extends [`DirBuilder`] with operations that differ between systems.
///
/// ```
/// use std::fs::DirBuilder;
///
/// use silcrow_system::{SystemFolder as _, SystemMetadata as _};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("logins");
/// DirBuilder::new().private().create(&path)?;
/// # #[cfg(unix)]
/// assert!(!std::fs::metadata(&path)?.is_open_to_others());
/// # std::io::Result::Ok(())
/// ```
pub trait SystemFolder {
    /// Makes a new folder accessible only to the user.
    fn private(&mut self) -> &mut Self;
}

#[cfg(unix)]
impl SystemFolder for DirBuilder {
    fn private(&mut self) -> &mut Self {
        std::os::unix::fs::DirBuilderExt::mode(self, 0o700)
    }
}

#[cfg(not(unix))]
impl SystemFolder for DirBuilder {
    fn private(&mut self) -> &mut Self {
        self
    }
}

/// A folder that is locked until this is dropped.
#[derive(Debug)]
pub struct FolderLock(#[expect(dead_code, reason = "it is held")] File);

/// Locks a folder for this process, and blocks while another one has it. Only programs that ask are kept
/// away.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let lock = silcrow_system::lock_folder(folder.path())?;
/// // No other program of these is in the folder now.
/// drop(lock);
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
///
/// Returns the error of the system, such as that there is no such folder.
pub fn lock_folder(path: &Path) -> io::Result<FolderLock> {
    let folder = lockable(path)?;
    folder.lock()?;
    Ok(FolderLock(folder))
}

#[cfg(unix)]
fn lockable(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(not(unix))]
fn lockable(path: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(false).open(path.join(".lock"))
}

/// Makes names that were added to a folder survive a power cut. If folders cannot be opened, the
/// system has its own journal of them, and this does nothing.
///
/// # Errors
///
/// Returns the error of the system.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}
