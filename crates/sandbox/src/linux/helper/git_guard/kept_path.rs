//! A path that a command can change although it must not: its contents are kept, and put back.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, fchmod, fstat, mkdirat, openat, readlinkat, renameat,
    symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::{put_aside, shown};
use crate::linux::helper::held_folder::{HeldFolder, entry, kind};
use crate::linux::helper::set_aside::set_aside;
use crate::linux::helper::start_file_changes::StartFileChanges;

/// A path with its contents before a command.
pub(super) struct KeptPath {
    beneath: PathBuf,
    before: Option<KeptEntry>,
}

/// A file, or a folder with all that is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KeptEntry {
    /// A file, with its mode and the number of its names: with another name for it, a command can
    /// change it later.
    File {
        bytes: Vec<u8>,
        mode: u32,
        names: u64,
    },
    Folder(BTreeMap<OsString, Self>),
    Link(CString),
    /// A pipe, a socket or a device.
    Other,
}

impl KeptPath {
    /// Records the entry at a path, relative to a folder.
    pub(super) fn note(held: &HeldFolder, beneath: &Path) -> io::Result<Self> {
        let parent = beneath.parent().map(|parent| held.search(parent));
        let before = match (parent, beneath.file_name()) {
            (Some(Ok(parent)), Some(name)) => read(&parent, name, &mut KeptRoom::default(), 0)
                .map_err(|error| {
                    let path = held.path().join(beneath);
                    let words = format!(
                        "{} cannot be kept as it is while the command changes the repository: {error}",
                        path.display()
                    );
                    io::Error::other(words)
                })?,
            _ => None,
        };
        Ok(Self { beneath: beneath.to_owned(), before })
    }

    /// Records that the path must not exist, whatever is there.
    pub(super) fn never(beneath: PathBuf) -> Self {
        Self { beneath, before: None }
    }

    /// Puts the contents back, if they have changed. That is renamed.
    pub(super) fn put_back(&self, held: &HeldFolder, changes: &mut StartFileChanges) {
        let Some(name) = self.beneath.file_name() else { return };
        let Some((parent, path)) = self.parent(held, changes) else { return };
        restore(&parent, &path, name, self.before.as_ref(), changes);
    }

    /// Opens the folder of the path. A link on the way is renamed, and a folder that is missing is made
    /// if there was something in it.
    fn parent(
        &self,
        held: &HeldFolder,
        changes: &mut StartFileChanges,
    ) -> Option<(OwnedFd, PathBuf)> {
        let mut opened = held.search(Path::new("")).ok()?;
        let mut path = held.path().to_owned();
        for name in self.beneath.parent()? {
            let is_folder = |opened: &OwnedFd| {
                entry(opened, name).map(|found| kind(&found) == FileType::Directory)
            };
            if is_folder(&opened) == Some(false) {
                put_aside(&opened, Some(&path), name, changes);
            }
            if is_folder(&opened).is_none() {
                self.before.as_ref()?;
                mkdirat(&opened, name, Mode::from_raw_mode(0o777)).ok()?;
            }
            opened = openat(&opened, name, SEARCH, Mode::empty()).ok()?;
            path.push(name);
        }
        Some((opened, path))
    }
}

/// Reads the entry with a name in a folder.
fn read(
    folder: &OwnedFd,
    name: &OsStr,
    room: &mut KeptRoom,
    depth: usize,
) -> io::Result<Option<KeptEntry>> {
    let Some(found) = entry(folder, name) else { return Ok(None) };
    room.take_entry(depth)?;
    Ok(Some(match kind(&found) {
        FileType::Symlink => KeptEntry::Link(readlinkat(folder, name, Vec::new())?),
        FileType::RegularFile => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = std::fs::File::from(openat(folder, name, flags, Mode::empty())?);
            let found = fstat(&file)?;
            let mut bytes = Vec::new();
            file.take(room.bytes + 1).read_to_end(&mut bytes)?;
            room.take_bytes(bytes.len())?;
            let mode = found.st_mode & 0o7777;
            #[expect(clippy::useless_conversion, reason = "its type depends on the system")]
            let names = u64::from(found.st_nlink);
            KeptEntry::File { bytes, mode, names }
        }
        FileType::Directory => {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = openat(folder, name, flags, Mode::empty())?;
            let mut inside = BTreeMap::new();
            for name in names(&opened)? {
                if let Some(kept) = read(&opened, &name, room, depth + 1)? {
                    inside.insert(name, kept);
                }
            }
            KeptEntry::Folder(inside)
        }
        _ => KeptEntry::Other,
    }))
}

fn names(folder: &OwnedFd) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for found in Dir::read_from(folder)? {
        let name = OsString::from_vec(found?.file_name().to_bytes().to_vec());
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// Restores an entry.
fn restore(
    folder: &OwnedFd,
    path: &Path,
    name: &OsStr,
    before: Option<&KeptEntry>,
    changes: &mut StartFileChanges,
) {
    // A path that cannot be read any more counts as changed.
    let now = read(folder, name, &mut KeptRoom::default(), 0).unwrap_or(Some(KeptEntry::Other));
    if now.as_ref() == before {
        return;
    }
    let own = path.join(name);
    if let (Some(KeptEntry::Folder(before)), Some(KeptEntry::Folder(now))) = (before, &now) {
        let flags = SEARCH | OFlags::NOFOLLOW;
        let Ok(opened) = openat(folder, name, flags, Mode::empty()) else { return };
        let all: BTreeSet<_> = before.keys().chain(now.keys()).collect();
        for inside in all.into_iter().filter(|name| !is_aside(name, before)) {
            restore(&opened, &own, inside, before.get(inside), changes);
        }
        return;
    }
    if now.is_some() && !put_aside(folder, Some(path), name, changes) {
        return;
    }
    if let Some(before) = before {
        match write(folder, name, before) {
            Ok(()) => changes.restored.push(shown(&own)),
            Err(_) => changes.changed.push(shown(&own)),
        }
    }
}

/// Returns whether an entry of a folder is one that was renamed here.
fn is_aside(name: &OsStr, before: &BTreeMap<OsString, KeptEntry>) -> bool {
    !before.contains_key(name) && name.to_string_lossy().contains(".set-aside-")
}

/// Writes an entry again.
fn write(folder: &OwnedFd, name: &OsStr, kept: &KeptEntry) -> io::Result<()> {
    match kept {
        KeptEntry::File { bytes, mode, .. } => write_file(folder, name, bytes, *mode),
        KeptEntry::Link(target) => Ok(symlinkat(target.as_c_str(), folder, name)?),
        KeptEntry::Other => Err(io::Error::from(io::ErrorKind::Unsupported)),
        KeptEntry::Folder(inside) => {
            mkdirat(folder, name, Mode::from_raw_mode(0o777))?;
            let opened = openat(folder, name, SEARCH | OFlags::NOFOLLOW, Mode::empty())?;
            inside.iter().try_for_each(|(name, kept)| write(&opened, name, kept))
        }
    }
}

/// Writes a new file, whatever has its name and is open elsewhere.
pub(super) fn write_file(
    folder: &OwnedFd,
    name: &OsStr,
    bytes: &[u8],
    mode: u32,
) -> io::Result<()> {
    let mut new = name.to_owned();
    new.push(".put-back");
    match unlinkat(folder, &new, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(_) => drop(set_aside(folder, &new)?),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = std::fs::File::from(openat(folder, &new, flags, Mode::from_raw_mode(0o600))?);
    file.write_all(bytes)?;
    fchmod(&file, Mode::from_raw_mode(mode))?;
    Ok(renameat(folder, &new, folder, name)?)
}

/// The number of bytes that may still be kept.
struct KeptRoom {
    bytes: u64,
    entries: usize,
}

impl Default for KeptRoom {
    fn default() -> Self {
        Self { bytes: MOST_BYTES, entries: MOST_ENTRIES }
    }
}

impl KeptRoom {
    fn take_entry(&mut self, depth: usize) -> io::Result<()> {
        let is_deep = depth > MOST_LEVELS;
        self.entries = self.entries.checked_sub(1).filter(|_| !is_deep).ok_or_else(too_large)?;
        Ok(())
    }

    fn take_bytes(&mut self, length: usize) -> io::Result<()> {
        let length = u64::try_from(length).map_err(io::Error::other)?;
        self.bytes = self.bytes.checked_sub(length).ok_or_else(too_large)?;
        Ok(())
    }
}

fn too_large() -> io::Error {
    io::Error::other("it has more than 16 MiB, 10,000 files or 16 levels")
}

const SEARCH: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// The bytes of files that are kept of one path.
const MOST_BYTES: u64 = 16 << 20;

const MOST_ENTRIES: usize = 10_000;

const MOST_LEVELS: usize = 16;
