//! To whom an old store belongs: to its user and to nobody else, and no file of it is a link.
//!
//! This module knows owners, modes and links. It changes nothing.

use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::process::geteuid;
use silcrow_store::{Error, ErrorKind};

use crate::fault::failed;

/// Checks the folder and everything in it that is read, moved or removed by its name.
///
/// # Errors
///
/// Returns [`Untrusted`](ErrorKind::Untrusted) with what to do.
pub(crate) fn check(dir: &Path) -> Result<(), Error> {
    // A link to the folder itself is the person's choice.
    let found = fs::metadata(dir).map_err(|error| failed("opening", dir, error))?;
    check_owner(dir, &found)?;
    let mode = found.mode() & 0o7777;
    if mode & OTHERS_WRITE != 0 {
        let why = format!(
            "other users may write to it (mode {mode:04o}), so its contents may be theirs; look at \
             them, then run `chmod 700 {}`",
            dir.display()
        );
        return Err(untrusted(dir, &why));
    }
    for name in FILES {
        check_file(&dir.join(name))?;
    }
    for folder in FOLDERS.map(|name| dir.join(name)) {
        if !check_file(&folder)? {
            continue;
        }
        for entry in fs::read_dir(&folder).map_err(|error| failed("reading", &folder, error))? {
            check_file(&entry.map_err(|error| failed("reading", &folder, error))?.path())?;
        }
    }
    Ok(())
}

/// Returns options that open no link, and that make a file for its owner alone.
pub(crate) fn open_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    options
}

/// Checks one file or folder, and returns whether it is there.
fn check_file(path: &Path) -> Result<bool, Error> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found.map_err(|error| failed("opening", path, error))?,
    };
    let is_file = found.is_file();
    if !is_file && !found.is_dir() {
        return Err(untrusted(path, "it is a link or no file; remove it, then try again"));
    }
    if is_file && found.nlink() > 1 {
        let why =
            "the same file has another name elsewhere; put a copy in its place, then try again";
        return Err(untrusted(path, why));
    }
    check_owner(path, &found).map(|()| true)
}

fn check_owner(path: &Path, found: &Metadata) -> Result<(), Error> {
    let (owner, us) = (found.uid(), geteuid().as_raw());
    if owner == us {
        return Ok(());
    }
    let why = format!(
        "it belongs to user {owner} and this is user {us}; run this as that user, or, if all of it \
         is yours, run `chown -R {us} {}`",
        path.display()
    );
    Err(untrusted(path, &why))
}

fn untrusted(path: &Path, why: &str) -> Error {
    let message = format!("the old store {} cannot be trusted: {why}", path.display());
    Error::new(ErrorKind::Untrusted, message)
}

const FILES: [&str; 3] = ["FORMAT", "LOCK", "MARK"];
const FOLDERS: [&str; 2] = ["data", "data.old"];

/// The bits of a mode that allow others to write.
const OTHERS_WRITE: u32 = 0o022;
