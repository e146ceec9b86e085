//! Entries of a root as a command may have changed them: files, folders, links and permissions.
//!
//! Every folder on a path is entered without following a link, so nothing outside the root is
//! touched, and nothing private is. This module does not use the journal.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};

use super::restore::CurrentFile;
use crate::changes::entry_path;
use crate::file_state::FileState;
use crate::open_folder::OpenFolder;
use crate::root::Root;
use crate::snapshot;
use crate::system::{self, EntryStat, FileId, StatKind};

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
    let state = match stat.kind {
        StatKind::File => match place.folder.open(&place.name) {
            Ok((mut file, metadata)) if metadata.is_file() => FileState::read(&mut file)?,
            _ => FileState::Unread,
        },
        StatKind::Folder => FileState::Folder,
        StatKind::Link => {
            let target = system::read_link(&place.folder.dir, &place.name)?;
            FileState::Link(entry_path::written(target.as_ref()))
        }
        StatKind::Special => FileState::Special,
    };
    Ok(CurrentFile { state, length: stat.length, mode: Some(stat.mode) })
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

/// Gives an entry the required state. A folder gets all permissions of its owner until [`set_mode`]
/// is called, so that it can be filled.
///
/// # Errors
///
/// Returns an error if the system refuses it. For a folder that should be removed and is not empty,
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
    let is_folder = now.is_some_and(|stat| stat.kind == StatKind::Folder);
    let dir = &*place.folder.dir;
    match wanted {
        WantedEntry::Folder if is_folder => {}
        // The other kinds replace each other, but a folder has to go first.
        WantedEntry::Missing | WantedEntry::Folder if now.is_some() && !is_folder => {
            system::remove_file(dir, &place.name)?;
        }
        _ if is_folder => system::remove_folder(dir, &place.name)?,
        _ => {}
    }
    match wanted {
        WantedEntry::Missing => Ok(()),
        WantedEntry::Folder if is_folder => set_mode(root, path, mode.unwrap_or(0o755) | 0o700),
        WantedEntry::Folder => {
            let mode = mode.unwrap_or(0o755) | 0o700;
            system::make_folder(dir, &place.name, mode)?;
            set_mode(root, path, mode)
        }
        WantedEntry::File(content) => place.write(content, now, mode),
        WantedEntry::Link(to) => {
            let new = place.temporary();
            system::symlink(&entry_path::path(to), dir, &new)?;
            place.rename(&new)
        }
    }
}

/// Sets the permissions of a file or a folder. The permissions of a link are never changed.
pub(crate) fn set_mode(root: &Root, path: &str, mode: u32) -> io::Result<()> {
    let Some(place) = place(root, path)? else { return Ok(()) };
    let Some(stat) = place.stat()? else { return Ok(()) };
    if stat.kind == StatKind::Link {
        return Ok(());
    }
    // A file that its owner cannot read is not opened.
    match place.folder.open(&place.name) {
        Ok((file, _)) => system::set_mode(&file, mode),
        Err(_) => system::set_entry_mode(&place.folder.dir, &place.name, mode),
    }
}

/// Makes everything that was restored survive a power cut.
pub(crate) fn sync(root: &Root) -> io::Result<()> {
    match root.folder().open(OsStr::new(".")) {
        Ok((top, _)) => system::sync_file_system(&top),
        Err(_) => {
            system::sync_all();
            Ok(())
        }
    }
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
    let is_private = place.stat()?.is_some_and(|stat| private.contains(&stat.id));
    match is_private || above.id != place.folder.id {
        true => Err(io::Error::other("it is private, or others move it")),
        false => Ok(Some(place)),
    }
}

impl EntryPlace {
    fn stat(&self) -> io::Result<Option<EntryStat>> {
        system::stat(&self.folder.dir, &self.name)
    }

    /// Writes a file whole. One with several names is written in place, so that they stay names of
    /// one file.
    fn write(&self, content: &[u8], now: Option<EntryStat>, mode: Option<u32>) -> io::Result<()> {
        let old = now.filter(|stat| stat.kind == StatKind::File);
        let mode = mode.or_else(|| old.map(|old| old.mode)).unwrap_or(0o644);
        if let Some(old) = old.filter(|stat| stat.links > 1) {
            let opened = system::open_to_write(&self.folder.dir, &self.name);
            if let Ok(mut file) = opened
                && FileId::from_metadata(&file.metadata()?) == old.id
            {
                file.set_len(0)?;
                file.write_all(content)?;
                return system::set_mode(&file, mode);
            }
        }
        let new = self.temporary();
        let mut file = system::create_new(&self.folder.dir, &new, 0o600)?;
        let written = file.write_all(content).and_then(|()| system::set_mode(&file, mode));
        match written {
            Ok(()) => self.rename(&new),
            Err(error) => {
                // A stray file stays if this fails, too.
                let _ = system::remove_file(&self.folder.dir, &new);
                Err(error)
            }
        }
    }

    /// Gives a new entry its name.
    fn rename(&self, new: &OsStr) -> io::Result<()> {
        let dir = &*self.folder.dir;
        let renamed = system::rename(dir, new, &self.name);
        if renamed.is_err() {
            // A stray entry stays if this fails, too.
            let _ = system::remove_file(dir, new);
        }
        renamed
    }

    /// Returns a name for an entry that gets its own later. Remains of an earlier process are
    /// removed.
    fn temporary(&self) -> OsString {
        let name = OsString::from(format!(".silcrow-undo-{}.tmp", std::process::id()));
        let _ = system::remove_file(&self.folder.dir, &name);
        name
    }
}
