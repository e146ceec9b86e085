//! The ownership of a store: it belongs only to its user, and nothing of it is a link.
//!
//! This module checks owners, modes and links. It changes nothing unless it is asked to.

use std::fs::OpenOptions;
use std::path::Path;

use silcrow_store::Error;

use crate::{file, names};

#[cfg(not(unix))]
use self::other as system;
#[cfg(unix)]
use self::unix as system;

pub(crate) use self::system::{new_folder, owner, restrict};

/// Returns options that open only files of ours, and make them for their owner alone.
pub(crate) fn open_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    system::own(&mut options);
    options
}

/// Checks that a store belongs to this user alone and that no file of ours is a link, as opening it
/// does. A folder that does not exist passes.
///
/// # Errors
///
/// - [`Untrusted`](silcrow_store::ErrorKind::Untrusted): the message names the next step.
/// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
pub fn check(dir: impl AsRef<Path>) -> Result<(), Error> {
    let dir = dir.as_ref();
    if !file::is_there(dir)? {
        return Ok(());
    }
    owner(dir)?;
    system::mode(dir)?;
    for name in names::ALL {
        system::check(&dir.join(name))?;
    }
    let segments = dir.join(names::SEGMENTS);
    for name in file::names(&segments)? {
        system::check(&segments.join(name))?;
    }
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    };
    use std::path::Path;

    use silcrow_store::{Error, ErrorKind};

    use crate::fault::failed;
    use crate::file::names;

    pub(super) fn own(options: &mut OpenOptions) {
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }

    /// Returns the options for making a folder that only its owner can use.
    pub(crate) fn new_folder() -> DirBuilder {
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        builder
    }

    /// Checks that the folder belongs to this user. A link to it is the person's choice.
    pub(crate) fn owner(dir: &Path) -> Result<(), Error> {
        let found = fs::metadata(dir).map_err(|error| failed("opening", dir, error))?;
        belongs(dir, &found)
    }

    /// Returns the mode of the folder. Others may not write to it, unless it is empty.
    pub(super) fn mode(dir: &Path) -> Result<u32, Error> {
        let found = fs::metadata(dir).map_err(|error| failed("opening", dir, error))?;
        let mode = found.mode() & 0o7777;
        if mode & OTHERS_WRITE == 0 || names(dir)?.is_empty() {
            return Ok(mode);
        }
        let why = format!(
            "other users may write to it (mode {mode:04o}), so its contents may be theirs; look at \
             them, then run `chmod 700 {}`",
            dir.display()
        );
        Err(untrusted(dir, &why))
    }

    /// Makes the folder its owner's alone, and returns the mode that it had if others could read
    /// it.
    pub(crate) fn restrict(dir: &Path) -> Result<Option<u32>, Error> {
        let mode = mode(dir)?;
        if mode & OTHERS == 0 {
            return Ok(None);
        }
        let closed = fs::set_permissions(dir, Permissions::from_mode(0o700));
        closed.map_err(|error| failed("making private", dir, error))?;
        Ok(Some(mode))
    }

    /// Checks one file or folder of ours, if it is there.
    pub(super) fn check(path: &Path) -> Result<(), Error> {
        let found = match fs::symlink_metadata(path) {
            // Another process may remove its file at any moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found.map_err(|error| failed("opening", path, error))?,
        };
        if found.is_symlink() {
            return Err(untrusted(path, "it is a link; remove it, then try again"));
        }
        if !found.is_file() && !found.is_dir() {
            let why = "it is neither a file nor a folder; remove it, then try again";
            return Err(untrusted(path, why));
        }
        belongs(path, &found)?;
        if found.is_file() && found.nlink() > 1 {
            let shown = path.display();
            let why = format!(
                "it is a hard link: the same file has another name elsewhere, through which it can be \
                 changed; `find / -xdev -samefile {shown}` finds that name, and \
                 `cp -p {shown} {shown}.copy && mv {shown}.copy {shown}` makes a separate file, \
                 while nothing uses the store"
            );
            return Err(untrusted(path, &why));
        }
        Ok(())
    }

    fn belongs(path: &Path, found: &Metadata) -> Result<(), Error> {
        let us = rustix::process::geteuid().as_raw();
        if found.uid() == us {
            return Ok(());
        }
        let why = format!(
            "it belongs to user {} and this is user {us}; run this as that user, or, if all of it \
             is yours, run `chown -R {us} {}`",
            found.uid(),
            path.display()
        );
        Err(untrusted(path, &why))
    }

    fn untrusted(path: &Path, why: &str) -> Error {
        let message = format!("the store does not trust {}: {why}", path.display());
        Error::new(ErrorKind::Untrusted, message)
    }

    const OTHERS: u32 = 0o077;
    const OTHERS_WRITE: u32 = 0o022;
}

/// Systems without owners and modes as Unix has them.
#[cfg(not(unix))]
mod other {
    use std::fs::{DirBuilder, OpenOptions};
    use std::path::Path;

    use silcrow_store::Error;

    pub(super) fn own(_: &mut OpenOptions) {}

    pub(crate) fn new_folder() -> DirBuilder {
        DirBuilder::new()
    }

    pub(crate) fn owner(_: &Path) -> Result<(), Error> {
        Ok(())
    }

    pub(super) fn mode(_: &Path) -> Result<u32, Error> {
        Ok(0o700)
    }

    pub(crate) fn restrict(_: &Path) -> Result<Option<u32>, Error> {
        Ok(None)
    }

    pub(super) fn check(_: &Path) -> Result<(), Error> {
        Ok(())
    }
}
