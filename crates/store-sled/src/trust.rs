//! Whom the folder of a store belongs to: this user and nobody else, links included.

use std::fs::OpenOptions;
use std::path::Path;

use silcrow_store::Error;

#[cfg(unix)]
use self::unix::mode;
#[cfg(unix)]
pub(crate) use self::unix::{close, new_folder, owner, restrict};

/// Checks that a store belongs to this user alone and holds no link where files of ours are, as
/// opening it does. A folder that does not exist passes.
///
/// # Errors
///
/// - [`Untrusted`](silcrow_store::ErrorKind::Untrusted): the message says what to do.
/// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
pub fn check(dir: impl AsRef<Path>) -> Result<(), Error> {
    let dir = dir.as_ref();
    if !dir.exists() {
        return Ok(());
    }
    owner(dir)?;
    mode(dir)?;
    files(dir)
}

/// Opens files of ours only: made for their owner alone, and never by way of a link.
pub(crate) fn open_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    unix::own(&mut options);
    options
}

/// Checks everything in the folder that a store opens, makes or removes by its name. What is ours
/// and readable by others is made its owner's alone.
pub(crate) fn files(dir: &Path) -> Result<(), Error> {
    for name in FILES {
        restrict(&dir.join(name))?;
    }
    for name in FOLDERS {
        let folder = dir.join(name);
        if restrict(&folder)? && DATA.contains(&name) {
            for file in crate::folder::names(&folder)? {
                restrict(&folder.join(file))?;
            }
        }
    }
    Ok(())
}

const FILES: [&str; 6] = ["FORMAT", "FORMAT.new", "LOCK", "MARK", "RESERVE", "RESERVE.probe"];
const DATA: [&str; 3] = ["data", "data.new", "data.old"];
const FOLDERS: [&str; 4] = ["data", "data.new", "data.old", "spills"];

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    };
    use std::path::Path;

    use silcrow_store::{Error, ErrorKind};

    use crate::folder::{failed, names};

    pub(super) fn own(options: &mut OpenOptions) {
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }

    /// Returns how a folder is made that is its owner's alone.
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

    /// Returns the mode of the folder; others may not write to it, unless it is empty.
    pub(crate) fn mode(dir: &Path) -> Result<u32, Error> {
        let found = fs::metadata(dir).map_err(|error| failed("opening", dir, error))?;
        let mode = found.mode() & 0o7777;
        if mode & OTHERS_WRITE == 0 || names(dir)?.is_empty() {
            return Ok(mode);
        }
        let why = format!(
            "other users may write to it (mode {mode:04o}), so what is in it may be theirs; look at \
             what is in it, then run `chmod 700 {}`",
            dir.display()
        );
        Err(untrusted(dir, &why))
    }

    /// Makes the folder its owner's alone; returns the mode that it had if others could read it.
    pub(crate) fn close(dir: &Path) -> Result<Option<u32>, Error> {
        let mode = mode(dir)?;
        if mode & OTHERS == 0 {
            return Ok(None);
        }
        let closed = fs::set_permissions(dir, Permissions::from_mode(0o700));
        closed.map_err(|error| failed("making private", dir, error))?;
        Ok(Some(mode))
    }

    /// Checks one file or folder of ours and makes it its owner's alone; returns whether it is
    /// there.
    pub(crate) fn restrict(path: &Path) -> Result<bool, Error> {
        // Another process may remove a file of its own at any moment.
        let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let found = match fs::symlink_metadata(path) {
            Err(error) if is_gone(&error) => return Ok(false),
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
            let why = "it is a hard link: the same file has another name elsewhere; put a copy in \
                       its place, then try again";
            return Err(untrusted(path, why));
        }
        if found.mode() & OTHERS != 0 {
            let mode = found.mode() & 0o7700;
            match fs::set_permissions(path, Permissions::from_mode(mode)) {
                Err(error) if is_gone(&error) => return Ok(false),
                closed => closed.map_err(|error| failed("making private", path, error))?,
            }
        }
        Ok(true)
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
    use std::fs::DirBuilder;
    use std::path::Path;

    use silcrow_store::Error;

    pub(crate) fn new_folder() -> DirBuilder {
        DirBuilder::new()
    }

    pub(crate) fn owner(_: &Path) -> Result<(), Error> {
        Ok(())
    }

    pub(crate) fn mode(_: &Path) -> Result<u32, Error> {
        Ok(0o700)
    }

    pub(crate) fn close(_: &Path) -> Result<Option<u32>, Error> {
        Ok(None)
    }

    pub(crate) fn restrict(path: &Path) -> Result<bool, Error> {
        Ok(path.exists())
    }
}

#[cfg(not(unix))]
use self::other::mode;
#[cfg(not(unix))]
pub(crate) use self::other::{close, new_folder, owner, restrict};
