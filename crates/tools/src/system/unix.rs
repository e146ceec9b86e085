//! Entries of open folders on Unix.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use cap_std::fs::{
    Dir, File, FileType, FileTypeExt as _, Metadata, MetadataExt as _, OpenOptions,
    OpenOptionsExt as _,
};
use rustix::fs::{
    Access, AtFlags, Gid, Mode, OFlags, RawMode, Uid, accessat, chmodat, fchmod, fchown, mkdirat,
    open, openat, readlinkat, renameat, statat, symlinkat, unlinkat,
};
pub(crate) use rustix::io::Errno;

use super::file_id::FileId;
use super::{EntryStat, StatKind};

/// Opens the folder with this name. The permission to search a folder is enough on systems that
/// have it.
pub(crate) fn enter(dir: &Dir, name: &OsStr) -> io::Result<Dir> {
    let flags = SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(Dir::from_std_file(openat(dir, name, flags, Mode::empty())?.into()))
}

/// Opens the entry with this name to read it. Opening a pipe does not block.
pub(crate) fn open_entry(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let quiet = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | quiet;
    Ok(File::from_std(openat(dir, name, flags, Mode::empty())?.into()))
}

/// Opens the file at a path beneath a folder to read it. Links are followed within the folder, and opening
/// a pipe does not block.
pub(crate) fn open_quietly(dir: &Dir, path: &Path) -> io::Result<File> {
    let quiet = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(quiet.bits().cast_signed());
    dir.open_with(path, &options)
}

/// Opens the file with this name to write it.
pub(crate) fn open_to_write(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from_std(openat(dir, name, flags, Mode::empty())?.into()))
}

/// Makes a file with these permissions, to write it.
pub(crate) fn create_new(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<File> {
    // `EXCL` makes sure that the file is new.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    Ok(File::from_std(openat(dir, name, flags, bits(mode))?.into()))
}

/// Makes a folder with these permissions, without those that the process masks.
pub(crate) fn make_folder(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
    Ok(mkdirat(dir, name, bits(mode))?)
}

/// Returns the metadata of the entry with this name, or `None` if it does not exist.
pub(crate) fn stat(dir: &Dir, name: &OsStr) -> io::Result<Option<EntryStat>> {
    match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(entry_stat(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[expect(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the widths differ")]
fn entry_stat(stat: &rustix::fs::Stat) -> EntryStat {
    use rustix::fs::FileType;

    let time =
        |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
    EntryStat {
        kind: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => StatKind::File,
            FileType::Directory => StatKind::Folder,
            FileType::Symlink => StatKind::Link,
            _ => StatKind::Special,
        },
        id: FileId::new(u64::try_from(stat.st_dev).unwrap_or_default(), u64::from(stat.st_ino)),
        length: u64::try_from(stat.st_size).unwrap_or_default(),
        mode: u32::from(stat.st_mode) & 0o7777,
        links: u64::from(stat.st_nlink),
        modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
    }
}

/// Returns the target of a link.
pub(crate) fn read_link(dir: &Dir, name: &OsStr) -> io::Result<OsString> {
    let target = readlinkat(dir, name, Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()))
}

/// Makes a link.
pub(crate) fn symlink(to: &Path, dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(symlinkat(to, dir, name)?)
}

/// Gives an entry another name in the same folder, in place of an existing one.
pub(crate) fn rename(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    Ok(renameat(dir, from, dir, to)?)
}

/// Removes an entry that is not a folder.
pub(crate) fn remove_file(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(unlinkat(dir, name, AtFlags::empty())?)
}

/// Removes an empty folder.
pub(crate) fn remove_folder(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(unlinkat(dir, name, AtFlags::REMOVEDIR)?)
}

/// Sets the permissions of an open file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fchmod(file, bits(mode))?)
}

/// Sets the permissions of an entry that cannot be opened.
pub(crate) fn set_entry_mode(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
    Ok(chmodat(dir, name, bits(mode), AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Gives a file the owner and the group of another one.
pub(crate) fn adopt_owner(file: &File, old: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    let user = (own.uid() != old.uid()).then(|| Uid::from_raw(old.uid()));
    let group = (own.gid() != old.gid()).then(|| Gid::from_raw(old.gid()));
    if user.is_some() || group.is_some() {
        fchown(file, user, group)?;
    }
    Ok(())
}

/// Returns an error if this process may not write the file with this name.
pub(crate) fn may_write(dir: &Dir, name: &OsStr) -> Result<(), Errno> {
    accessat(dir, name, Access::WRITE_OK, AtFlags::EACCESS)
}

/// Returns the permissions of a file.
pub(crate) fn file_mode(metadata: &Metadata) -> u32 {
    metadata.mode()
}

/// Returns the number of names of a file.
pub(crate) fn file_links(metadata: &Metadata) -> u64 {
    metadata.nlink()
}

/// Returns the times of the last change of a file's content, and of the file itself, in seconds and
/// nanoseconds.
pub(crate) fn file_times(metadata: &Metadata) -> [(i64, i64); 2] {
    [(metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec())]
}

/// Returns the identity of a file or folder.
pub(crate) fn id_of(metadata: &Metadata) -> FileId {
    FileId::new(metadata.dev(), metadata.ino())
}

/// Returns the words for an entry that is neither a file nor a folder nor a link.
pub(crate) fn special_kind(kind: FileType) -> &'static str {
    match kind {
        _ if kind.is_fifo() => "a named pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

/// A file or folder that is held open, so that no other one gets its identity.
pub(crate) type HeldEntry = OwnedFd;

/// Holds the file or folder at a path of the host, and returns it with its identity.
pub(crate) fn hold(path: &Path) -> Option<(FileId, HeldEntry)> {
    let flags = SEARCH | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let held = open(path, flags, Mode::empty()).ok()?;
    Some((id_at(path)?, held))
}

/// Returns the identity of the file or folder at a path of the host. Links are followed.
pub(crate) fn id_at(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|found| id_of(&Metadata::from_just_metadata(found)))
}

/// Makes everything that was written on this machine survive a power cut.
pub(crate) fn sync_all() {
    rustix::fs::sync();
}

/// Makes everything that was written on the file system of a folder survive a power cut.
pub(crate) fn sync_file_system(folder: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(folder)?;
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        sync_all();
    }
    Ok(())
}

/// An open file whose blocks another one can share.
pub(crate) use std::os::fd::AsFd as SharedBlocks;

/// Makes a file with the same blocks as another one, if the file system can.
pub(crate) fn share_blocks(out: &fs::File, from: &impl SharedBlocks) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return Ok(rustix::fs::ioctl_ficlone(out, from)?);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (out, from);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Returns the path that has these bytes.
pub(crate) fn path_of_bytes(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_owned()
}

fn bits(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as RawMode)
}

/// The flags with which folders are opened on a walk. If the system can do that, the permission to
/// search a folder is enough, and it need not be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const SEARCH: OFlags = OFlags::RDONLY;
