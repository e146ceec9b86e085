//! Entries of a root as a command may have changed them: files, folders, links and permissions.
//!
//! Every folder on a path is entered without following a link, so nothing outside the root is
//! touched, and nothing private is. This module knows no journal.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;

use cap_std::fs::File;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawMode, Stat, chmodat, fchmod, fstat, mkdirat, openat,
    readlinkat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::restore::CurrentFile;
use crate::changes::entry_path;
use crate::file_id::FileId;
use crate::file_state::FileState;
use crate::open_folder::OpenFolder;
use crate::root::Root;
use crate::snapshot;

/// An entry as it is to be.
#[derive(Debug)]
pub(crate) enum WantedEntry<'a> {
    Missing,
    File(&'a [u8]),
    Folder,
    /// A link to this path, as a record writes it.
    Link(&'a str),
}

/// Returns an entry as it is.
pub(crate) fn look(root: &Root, path: &str) -> io::Result<CurrentFile> {
    let missing = CurrentFile { state: FileState::Missing, length: 0, mode: None };
    let Some(place) = place(root, path)? else { return Ok(missing) };
    let Some(stat) = place.stat()? else { return Ok(missing) };
    let length = u64::try_from(stat.st_size).unwrap_or_default();
    let state = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => match place.folder.open(&place.name) {
            Ok((mut file, metadata)) if metadata.is_file() => FileState::read(&mut file)?,
            _ => FileState::Unread,
        },
        FileType::Directory => FileState::Folder,
        FileType::Symlink => {
            let target = readlinkat(&*place.folder.dir, &place.name, Vec::new())?;
            FileState::Link(entry_path::written(OsStr::from_bytes(target.as_bytes()).as_ref()))
        }
        _ => FileState::Special,
    };
    Ok(CurrentFile { state, length, mode: Some(snapshot::mode(&stat)) })
}

/// Returns the content of a file; empty for anything else.
pub(crate) fn content(root: &Root, path: &str) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some(place) = place(root, path)?
        && let Ok((mut file, metadata)) = place.folder.open(&place.name)
        && metadata.is_file()
    {
        file.read_to_end(&mut content)?;
    }
    Ok(content)
}

/// Makes an entry what it is to be. A folder gets all permissions of its owner until
/// [`set_mode`] is called, so that it can be filled.
///
/// # Errors
///
/// Returns an error if the system refuses it. For a folder that is to go and has something in it,
/// that is [`io::ErrorKind::DirectoryNotEmpty`].
pub(crate) fn restore(
    root: &Root,
    path: &str,
    wanted: &WantedEntry<'_>,
    mode: Option<u32>,
) -> io::Result<()> {
    let _writing = root.lock_writes();
    let Some(place) = place(root, path)? else {
        return match wanted {
            WantedEntry::Missing => Ok(()),
            _ => Err(io::Error::other("a folder above it is missing")),
        };
    };
    let now = place.stat()?;
    let is_folder = now.as_ref().is_some_and(|stat| kind(stat) == FileType::Directory);
    let dir = &*place.folder.dir;
    match wanted {
        WantedEntry::Folder if is_folder => {}
        // The other kinds replace each other, but a folder has to go first.
        WantedEntry::Missing | WantedEntry::Folder if now.is_some() && !is_folder => {
            unlinkat(dir, &place.name, AtFlags::empty())?;
        }
        _ if is_folder => unlinkat(dir, &place.name, AtFlags::REMOVEDIR)?,
        _ => {}
    }
    match wanted {
        WantedEntry::Missing => Ok(()),
        WantedEntry::Folder if is_folder => set_mode(root, path, mode.unwrap_or(0o755) | 0o700),
        WantedEntry::Folder => {
            mkdirat(
                dir,
                &place.name,
                Mode::from_raw_mode((mode.unwrap_or(0o755) | 0o700) as RawMode),
            )?;
            set_mode(root, path, mode.unwrap_or(0o755) | 0o700)
        }
        WantedEntry::File(content) => place.write(content, now.as_ref(), mode),
        WantedEntry::Link(to) => {
            let new = place.temporary();
            symlinkat(entry_path::path(to), dir, &new)?;
            place.rename(&new)
        }
    }
}

/// Sets the permissions of a file or a folder. Those of a link are never changed.
pub(crate) fn set_mode(root: &Root, path: &str, mode: u32) -> io::Result<()> {
    let Some(place) = place(root, path)? else { return Ok(()) };
    let Some(stat) = place.stat()? else { return Ok(()) };
    if kind(&stat) == FileType::Symlink {
        return Ok(());
    }
    let mode = Mode::from_raw_mode(mode as RawMode);
    // A file that its owner cannot read is not opened.
    match place.folder.open(&place.name) {
        Ok((file, _)) => Ok(fchmod(&file, mode)?),
        Err(_) => Ok(chmodat(&*place.folder.dir, &place.name, mode, AtFlags::SYMLINK_NOFOLLOW)?),
    }
}

/// Makes everything that was restored survive a power cut.
pub(crate) fn sync(root: &Root) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if let Ok((top, _)) = root.folder().open(OsStr::new(".")) {
        return Ok(rustix::fs::syncfs(&top)?);
    }
    rustix::fs::sync();
    Ok(())
}

/// A name in a folder that is held open.
struct EntryPlace {
    folder: OpenFolder,
    name: OsString,
}

/// Returns the place of an entry; `None` if a folder above it is missing or is something else.
fn place(root: &Root, path: &str) -> io::Result<Option<EntryPlace>> {
    let path = entry_path::path(path);
    let Some((folder, name)) = snapshot::place(root.folder(), &path) else { return Ok(None) };
    let private = root.private();
    let mut above = root.folder().clone();
    for name in path.parent().into_iter().flatten() {
        above = above.enter(name)?;
        if private.contains(&above.id) {
            return Err(io::Error::other("it is private"));
        }
    }
    let place = EntryPlace { folder, name };
    let is_private = place.stat()?.is_some_and(|stat| private.contains(&id(&stat)));
    match is_private || above.id != place.folder.id {
        true => Err(io::Error::other("it is private, or others move it")),
        false => Ok(Some(place)),
    }
}

impl EntryPlace {
    fn stat(&self) -> io::Result<Option<Stat>> {
        match statat(&*self.folder.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a file whole. One with several names is written in place, so that they stay names of
    /// one file.
    fn write(&self, content: &[u8], now: Option<&Stat>, mode: Option<u32>) -> io::Result<()> {
        let old = now.filter(|stat| kind(stat) == FileType::RegularFile);
        let old_mode = old.map(snapshot::mode);
        let mode = Mode::from_raw_mode(mode.or(old_mode).unwrap_or(0o644) as RawMode);
        let own = Mode::RUSR | Mode::WUSR;
        if let Some(old) = old.filter(|stat| stat.st_nlink > 1) {
            let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let opened = openat(&*self.folder.dir, &self.name, flags, Mode::empty());
            if let Ok(opened) = opened
                && id(&fstat(&opened)?) == id(old)
            {
                let mut file = File::from_std(opened.into());
                file.set_len(0)?;
                file.write_all(content)?;
                return Ok(fchmod(&file, mode)?);
            }
        }
        let new = self.temporary();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut file = File::from_std(openat(&*self.folder.dir, &new, flags, own)?.into());
        let written = file.write_all(content).and_then(|()| Ok(fchmod(&file, mode)?));
        match written {
            Ok(()) => self.rename(&new),
            Err(error) => {
                // A stray file stays if this fails, too.
                let _ = unlinkat(&*self.folder.dir, &new, AtFlags::empty());
                Err(error)
            }
        }
    }

    /// Gives a new entry its name.
    fn rename(&self, new: &OsStr) -> io::Result<()> {
        let dir = &*self.folder.dir;
        let renamed = renameat(dir, new, dir, &self.name);
        if renamed.is_err() {
            // A stray entry stays if this fails, too.
            let _ = unlinkat(dir, new, AtFlags::empty());
        }
        Ok(renamed?)
    }

    /// Returns a name for an entry that gets its own later. What an earlier process left there goes.
    fn temporary(&self) -> OsString {
        let name = OsString::from(format!(".silcrow-undo-{}.tmp", std::process::id()));
        let _ = unlinkat(&*self.folder.dir, &name, AtFlags::empty());
        name
    }
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

fn id(stat: &Stat) -> FileId {
    snapshot::id(stat)
}
