//! Files and folders that only the person can access, and safe reading of other people's files.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use silcrow_system::{
    SystemFolder as _, SystemMetadata as _, SystemOpen as _, make_private, sync_folder,
};

/// A file that is opened for appending.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a file, and what its mode was")]
pub struct AppendFile {
    /// The open file.
    pub file: File,
    /// Whether others could read or write it before it was opened here.
    pub was_open: bool,
}

/// Opens or creates a file for appending, and makes it accessible to its owner alone. Links, files
/// of others, and everything that is not a regular file are rejected.
///
/// # Errors
///
/// Returns the error of the system, or describes the problem with the file.
pub fn append(path: &Path) -> io::Result<AppendFile> {
    let file = open(path, File::options().append(true).create(true))?;
    let was_open = file.metadata()?.is_open_to_others();
    if was_open {
        make_private(&file)?;
    }
    Ok(AppendFile { file, was_open })
}

/// Reads a file that only the person can write, of at most 1 MiB.
///
/// # Errors
///
/// Returns an error for a file that others can write or own, and for a link.
pub fn read(path: &Path) -> io::Result<String> {
    let file = open(path, File::options().read(true))?;
    check_mode(&file.metadata()?)?;
    text(file)
}

/// Reads a file that anybody may have written. Only a regular file of at most 1 MiB is read, and never a
/// link.
///
/// # Errors
///
/// Returns the error of the system, or describes the problem with the file.
pub fn read_foreign(path: &Path) -> io::Result<String> {
    text(open_regular(path, File::options().read(true))?)
}

/// Returns the text of a file that is not too long, without the mark of the order of bytes that some
/// editors put at its start.
fn text(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(MAX_LENGTH + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_LENGTH {
        return Err(io::Error::other("it is longer than 1 MiB"));
    }
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// Replaces a file by one that only its owner can read. A loss of power right after it leaves the new
/// file.
///
/// ```
/// use silcrow_settings::owned;
///
/// # let home = tempfile::tempdir().unwrap();
/// let file = home.path().join("token");
/// owned::write(&file, "1234").unwrap();
/// assert_eq!(owned::read(&file).unwrap(), "1234");
/// # #[cfg(unix)] {
/// // If others could have written the file, it is not read.
/// use std::os::unix::fs::PermissionsExt as _;
///
/// std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
/// assert!(owned::read(&file).is_err());
/// # }
/// ```
///
/// # Errors
///
/// Returns the error of the system. The old file is then as it was.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension(format!("new-{}", std::process::id()));
    // An earlier process with this id may have left such a file behind.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = open(&new, File::options().write(true).create_new(true))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path)?;
    let folder = path.parent().unwrap_or_else(|| Path::new("/"));
    sync_folder(folder)
}

/// Creates a folder that only its owner can open, unless it exists.
///
/// # Errors
///
/// Returns the error of the system, or of [`check_folder`] for a folder that exists.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().private().create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => check_folder(path),
    }
}

/// Checks a folder.
///
/// # Errors
///
/// Returns an error for a folder that others can change or own.
pub fn check_folder(path: &Path) -> io::Result<()> {
    let found = path.symlink_metadata()?;
    match found.is_dir() {
        true => check_owner(&found).and_then(|()| check_mode(&found)),
        false => Err(io::Error::other("it is not a folder")),
    }
}

/// Opens a file of the person.
fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = open_regular(path, options)?;
    check_owner(&file.metadata()?)?;
    Ok(file)
}

/// Opens a regular file. A link in its place is not followed, and a pipe does not block.
fn open_regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let opened = options.private().plain().open(path);
    let file = opened.map_err(|error| match path.is_symlink() {
        true => io::Error::other("it is a link; name the file that it leads to"),
        false => error,
    })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a file")),
    }
}

fn check_owner(found: &Metadata) -> io::Result<()> {
    match found.is_own() {
        true => Ok(()),
        false => Err(io::Error::other("it belongs to another user")),
    }
}

fn check_mode(found: &Metadata) -> io::Result<()> {
    match found.is_writable_by_others() {
        false => Ok(()),
        true => {
            Err(io::Error::other("others can write to it; remove it, or take their right away"))
        }
    }
}

/// The length of the longest file that is read, in bytes.
const MAX_LENGTH: u64 = 1024 * 1024;
