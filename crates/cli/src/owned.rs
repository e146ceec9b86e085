//! Files that belong to the person alone.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::process::geteuid;

/// A file that is opened for appending.
pub(crate) struct Appended {
    pub(crate) file: File,
    /// Others could read or write it, and no longer can.
    pub(crate) was_open: bool,
}

/// Opens a file of the person's for appending, or creates it. Only its owner may read it from now
/// on. Links, files of others and everything else that is not a file are refused.
pub(crate) fn append(path: &Path) -> io::Result<Appended> {
    // A pipe that nobody reads does not block.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = File::options();
    options.append(true).create(true).mode(MODE).custom_flags(flags.bits().cast_signed());
    let file = options.open(path).map_err(|error| match path.is_symlink() {
        true => io::Error::other("it is a link; name the file that it leads to"),
        false => error,
    })?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if found.uid() != geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    let was_open = found.mode() & OTHERS != 0;
    if was_open {
        file.set_permissions(Permissions::from_mode(MODE))?;
    }
    Ok(Appended { file, was_open })
}

/// What a new file of the person's allows.
const MODE: u32 = 0o600;

/// What a mode allows to anybody else.
const OTHERS: u32 = 0o077;
