//! The folder of a store: whether it is one, and making it.
//!
//! This module handles the file `FORMAT`, and not the log.
//!
//! `FORMAT` has a checksum: an unknown version is a reason to stop, damage to the file is not.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::fault::failed;
use crate::file::{self, sync_folder};
use crate::identity;
use crate::names::{self, FORMAT, NEW_FORMAT, SEGMENTS};
use crate::trust;

/// The contents of a store's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderContents {
    /// The folder is missing or empty.
    Nothing,
    Store,
    /// A store whose `FORMAT` is missing or damaged.
    StoreWithoutFormat,
}

/// Looks at the folder without changing it.
///
/// # Errors
///
/// - [`Untrusted`](ErrorKind::Untrusted) if it belongs to another user.
/// - [`Format`](ErrorKind::Format) if it is something else, or a store of another version.
pub(crate) fn look(dir: &Path) -> Result<FolderContents, Error> {
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(not_a_store(dir, "it is not a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(FolderContents::Nothing);
        }
        Err(error) => return Err(failed("opening", dir, error)),
    }
    trust::check(dir)?;
    let has_segments = !file::names(&dir.join(SEGMENTS))?.is_empty();
    match read(&dir.join(FORMAT)) {
        Ok(format) => match version(&format) {
            Some(OURS) => Ok(FolderContents::Store),
            Some(other) => Err(wrong_format(dir, other)?),
            None if has_segments => Ok(FolderContents::StoreWithoutFormat),
            None => Err(wrong_format(dir, &format)?),
        },
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed("reading", &dir.join(FORMAT), error))
        }
        Err(_) if has_segments => Ok(FolderContents::StoreWithoutFormat),
        Err(_) => {
            let mut there = file::names(dir)?;
            there.sort_unstable();
            match there.iter().find(|name| !names::ALL.contains(&name.as_str())) {
                Some(name) => Err(not_a_store(dir, &format!("it has {name:?} and no file FORMAT"))),
                None => Ok(FolderContents::Nothing),
            }
        }
    }
}

/// Makes the folder and those above it, and the first files of a store. Existing files stay.
/// Returns the mode that the folder had if others could read it.
pub(crate) fn make(dir: &Path) -> Result<Option<u32>, Error> {
    let mode = make_folder(dir)?;
    let segments = dir.join(SEGMENTS);
    match trust::new_folder().create(&segments) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made.map_err(|error| failed("making", &segments, error))?,
    }
    Ok(mode)
}

/// Makes a folder for this user alone, and those above it, durably. Returns the mode that the folder
/// had if others could read it.
pub(crate) fn make_folder(dir: &Path) -> Result<Option<u32>, Error> {
    let mut missing = Vec::new();
    for above in dir.ancestors() {
        if file::is_there(above)? {
            break;
        }
        missing.push(above);
    }
    let made = trust::new_folder().recursive(true).create(dir);
    made.map_err(|error| failed("making", dir, error))?;
    for made in missing {
        match made.parent() {
            Some(above) if above.as_os_str().is_empty() => sync_folder(Path::new("."))?,
            Some(above) => sync_folder(above)?,
            None => {}
        }
    }
    trust::owner(dir)?;
    trust::restrict(dir)
}

/// Writes `FORMAT` completely or not at all. Only for the process that has the lock.
pub(crate) fn write_format(dir: &Path) -> Result<(), Error> {
    let (new, path) = (dir.join(NEW_FORMAT), dir.join(FORMAT));
    let write = || -> io::Result<()> {
        let mut options = trust::open_options();
        let mut file = options.write(true).create(true).truncate(true).open(&new)?;
        writeln!(file, "{OURS} {:08x}", crc32c::crc32c(OURS.as_bytes()))?;
        file.sync_all()?;
        fs::rename(&new, &path)
    };
    write().map_err(|error| failed("writing", &path, error))?;
    sync_folder(dir)
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    let file: File = trust::open_options().read(true).open(path)?;
    file.take(MAX_FORMAT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the name and version of a format; `None` if the checksum after it is missing or wrong.
fn version(format: &str) -> Option<&str> {
    let (version, sum) = format.trim_end().rsplit_once(' ')?;
    (format!("{:08x}", crc32c::crc32c(version.as_bytes())) == sum).then_some(version)
}

fn not_a_store(dir: &Path, why: &str) -> Error {
    let message = format!(
        "{} is not a store: {why}; choose an empty folder or another store with --store",
        dir.display()
    );
    Error::new(ErrorKind::Format, message)
}

/// Returns the error for a store of another version, or for something else.
fn wrong_format(dir: &Path, format: &str) -> Result<Error, Error> {
    let shown: String = format.trim().chars().take(40).collect();
    if shown.starts_with("silcrow-store-sled ") {
        let message = format!(
            "the store {} has the format {shown:?}, which no released version has written and this \
             one cannot read; choose another store with --store",
            dir.display()
        );
        return Ok(Error::new(ErrorKind::Format, message));
    }
    if shown.starts_with("silcrow-store-log ") {
        let ours = env!("CARGO_PKG_VERSION");
        let theirs = match identity::read(dir)? {
            Some(identity) if identity.version != ours => format!("silcrow {}", identity.version),
            _ => "a newer version of silcrow".to_owned(),
        };
        let message = format!(
            "the store {} was made by {theirs} and has the format {shown:?}; this is silcrow {ours}, \
             which knows {OURS:?}; install {theirs} or a later one, or choose another store with \
             --store",
            dir.display()
        );
        return Ok(Error::new(ErrorKind::Format, message));
    }
    Ok(not_a_store(dir, &format!("its file FORMAT says {shown:?}, and {OURS:?} is known")))
}

/// The contents of `FORMAT` before the checksum.
const OURS: &str = "silcrow-store-log 1";

/// In bytes.
const MAX_FORMAT: u64 = 256;
