//! The owner of a temporary folder on systems whose folder for them belongs to the user.

use std::fs;
use std::io;
use std::path::Path;

/// Nothing: a folder cannot be locked here.
pub(super) type NoOwnerLock = ();

/// Makes a folder, with the rights that the folder above passes on.
pub(super) fn create(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

/// Takes the folder as this process's own: its name has the number of the process.
pub(super) const fn lock(_: &Path) -> io::Result<Option<NoOwnerLock>> {
    Ok(Some(()))
}

/// Leaves all folders: their owners are unknown.
pub(super) const fn sweep(_: &Path) {}
