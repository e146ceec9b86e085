//! Entries of open folders on Windows.
//!
//! On Windows, files have no owners, folders contain neither pipes nor devices, and the only
//! permission is whether a file may be written.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};

use super::file_id::FileId;
use super::{EntryStat, StatKind};

/// The causes of the system's errors that messages distinguish, under their names on other systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Errno(io::ErrorKind);

impl Errno {
    pub(crate) const ACCESS: Self = Self(io::ErrorKind::PermissionDenied);
    pub(crate) const DQUOT: Self = Self(io::ErrorKind::QuotaExceeded);
    pub(crate) const FBIG: Self = Self(io::ErrorKind::FileTooLarge);
    pub(crate) const INVAL: Self = Self(io::ErrorKind::InvalidInput);
    pub(crate) const ISDIR: Self = Self(io::ErrorKind::IsADirectory);
    /// No error of the system has this kind: a link on the way is reported as not being a folder.
    pub(crate) const LOOP: Self = Self(io::ErrorKind::Deadlock);
    pub(crate) const NAMETOOLONG: Self = Self(io::ErrorKind::InvalidFilename);
    pub(crate) const NOENT: Self = Self(io::ErrorKind::NotFound);
    pub(crate) const NOSPC: Self = Self(io::ErrorKind::StorageFull);
    pub(crate) const NOTDIR: Self = Self(io::ErrorKind::NotADirectory);
    pub(crate) const NOTSUP: Self = Self(io::ErrorKind::Unsupported);
    pub(crate) const NXIO: Self = Self(io::ErrorKind::HostUnreachable);
    /// No error of the system has this kind.
    pub(crate) const PERM: Self = Self(io::ErrorKind::NetworkDown);
    pub(crate) const ROFS: Self = Self(io::ErrorKind::ReadOnlyFilesystem);

    pub(crate) fn from_io_error(error: &io::Error) -> Option<Self> {
        Some(Self(error.kind()))
    }
}

impl From<Errno> for io::Error {
    fn from(error: Errno) -> Self {
        error.0.into()
    }
}

/// Opens the folder with this name.
pub(crate) fn enter(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    match dir.symlink_metadata(name)?.is_dir() {
        true => dir.open_dir_nofollow(name),
        // A link is not entered, and a file cannot be.
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

/// Opens the entry with this name to read it. The folder itself is named `.`.
pub(crate) fn open_entry(dir: &Dir, name: &OsStr) -> io::Result<File> {
    if name == "." {
        return Ok(File::from_std(dir.try_clone()?.into_std_file()));
    }
    let mut options = OpenOptions::new();
    dir.open_with(name, options.read(true).follow(FollowSymlinks::No))
}

/// Opens the file at a path beneath a folder to read it. Links are followed within the folder.
pub(crate) fn open_quietly(dir: &Dir, path: &Path) -> io::Result<File> {
    dir.open(path)
}

/// Opens the file with this name to write it.
pub(crate) fn open_to_write(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    dir.open_with(name, options.write(true).follow(FollowSymlinks::No))
}

/// Makes a file, to write it.
pub(crate) fn create_new(dir: &Dir, name: &OsStr, _: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    dir.open_with(name, options.write(true).create_new(true).follow(FollowSymlinks::No))
}

/// Makes a folder.
pub(crate) fn make_folder(dir: &Dir, name: &OsStr, _: u32) -> io::Result<()> {
    dir.create_dir(name)
}

/// Returns the metadata of the entry with this name, or `None` if it does not exist.
pub(crate) fn stat(dir: &Dir, name: &OsStr) -> io::Result<Option<EntryStat>> {
    let found = match dir.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    let [modified, changed] = file_times(&found)
        .map(|(seconds, rest)| seconds.saturating_mul(1_000_000_000).saturating_add(rest));
    Ok(Some(EntryStat {
        kind: match found.file_type() {
            kind if kind.is_file() => StatKind::File,
            kind if kind.is_dir() => StatKind::Folder,
            kind if kind.is_symlink() => StatKind::Link,
            _ => StatKind::Special,
        },
        id: id_of(&found),
        length: found.len(),
        mode: file_mode(&found),
        links: file_links(&found),
        modified,
        changed,
    }))
}

/// Returns the target of a link.
pub(crate) fn read_link(dir: &Dir, name: &OsStr) -> io::Result<OsString> {
    dir.read_link_contents(name).map(Into::into)
}

/// Makes a link, which only some users may.
pub(crate) fn symlink(to: &Path, dir: &Dir, name: &OsStr) -> io::Result<()> {
    match dir.metadata(to).is_ok_and(|found| found.is_dir()) {
        true => dir.symlink_dir(to, name),
        false => dir.symlink_file(to, name),
    }
}

/// Gives an entry another name in the same folder, in place of an existing one.
pub(crate) fn rename(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    dir.rename(from, dir, to)
}

/// Removes an entry that is not a folder.
pub(crate) fn remove_file(dir: &Dir, name: &OsStr) -> io::Result<()> {
    dir.remove_file(name)
}

/// Removes an empty folder.
pub(crate) fn remove_folder(dir: &Dir, name: &OsStr) -> io::Result<()> {
    dir.remove_dir(name)
}

/// Does nothing: a file that is open may be written.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(crate) const fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Does nothing, as [`set_mode`].
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(crate) const fn set_entry_mode(_: &Dir, _: &OsStr, _: u32) -> io::Result<()> {
    Ok(())
}

/// Does nothing: a new file has the owner of this process.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(crate) const fn adopt_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Returns an error if the file with this name is read-only.
pub(crate) fn may_write(dir: &Dir, name: &OsStr) -> Result<(), Errno> {
    let found = dir.symlink_metadata(name).map_err(|error| Errno(error.kind()))?;
    if found.permissions().readonly() { Err(Errno::ACCESS) } else { Ok(()) }
}

/// Returns the permissions that a file would have on other systems.
pub(crate) fn file_mode(metadata: &Metadata) -> u32 {
    match metadata {
        found if found.is_dir() => 0o755,
        found if found.permissions().readonly() => 0o444,
        _ => 0o644,
    }
}

/// Returns the number of names of a file.
pub(crate) fn file_links(metadata: &Metadata) -> u64 {
    metadata.nlink()
}

/// Returns the time of a file's last change twice, in seconds and nanoseconds: the system has only
/// this one.
pub(crate) fn file_times(metadata: &Metadata) -> [(i64, i64); 2] {
    let time = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let time = (since.as_secs().cast_signed(), i64::from(since.subsec_nanos()));
    [time, time]
}

/// Returns the identity of a file or folder.
pub(crate) fn id_of(metadata: &Metadata) -> FileId {
    FileId::new(metadata.dev(), metadata.ino())
}

/// Returns the words for an entry that is neither a file nor a folder nor a link.
pub(crate) const fn special_kind(_: FileType) -> &'static str {
    "a device"
}

/// A file or folder that is held open, so that no other one gets its identity.
pub(crate) type HeldHostFile = fs::File;

/// Holds the file or folder at a path of the host, and returns it with its identity.
pub(crate) fn hold(path: &Path) -> Option<(FileId, HeldHostFile)> {
    if let Ok(folder) = Dir::open_ambient_dir(path, ambient_authority()) {
        return Some((id_of(&folder.dir_metadata().ok()?), folder.into_std_file()));
    }
    let file = File::open_ambient(path, ambient_authority()).ok()?;
    Some((id_of(&file.metadata().ok()?), file.into_std()))
}

/// Returns the identity of the file or folder at a path of the host. Links are followed.
pub(crate) fn id_at(path: &Path) -> Option<FileId> {
    hold(path).map(|(id, _)| id)
}

/// Does nothing: the system has a journal of names.
pub(crate) const fn sync_all() {}

/// Does nothing, as [`sync_all`].
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(crate) const fn sync_file_system(_: &File) -> io::Result<()> {
    Ok(())
}

/// An open file.
pub(crate) use std::os::windows::io::AsHandle as SharedBlocks;

/// Returns an error: blocks are not shared here.
pub(crate) fn share_blocks(_: &fs::File, _: &impl SharedBlocks) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns the path with these bytes; bytes that are not UTF-8 are replaced.
pub(crate) fn path_of_bytes(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
