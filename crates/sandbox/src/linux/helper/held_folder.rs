//! Folders that are opened once, and paths beneath them, which are reached without any link.
//!
//! A command can exchange a folder with a link at any moment. So no function here checks a path
//! first and uses it later: the opened file is the one that is used, and a link on the way is an
//! error.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, statat,
};
use rustix::io::Errno;

/// A device and an inode.
pub(super) type DeviceAndInode = (u64, u64);

/// A folder that is held open, with the path that it had.
#[derive(Debug)]
pub(super) struct HeldFolder {
    path: PathBuf,
    opened: OwnedFd,
}

impl HeldFolder {
    /// Opens a folder whose path has no links.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let opened = open_without_links(path, OFlags::PATH | OFlags::DIRECTORY)?;
        Ok(Self { path: path.to_owned(), opened })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) const fn opened(&self) -> &OwnedFd {
        &self.opened
    }

    /// Opens a folder beneath this one to read its names. The empty path is the folder itself.
    pub(super) fn read(&self, beneath: &Path) -> io::Result<OwnedFd> {
        self.open_beneath(beneath, OFlags::RDONLY)
    }

    /// Opens a folder beneath this one, to look up entries in it by name.
    pub(super) fn search(&self, beneath: &Path) -> io::Result<OwnedFd> {
        self.open_beneath(beneath, OFlags::PATH)
    }

    fn open_beneath(&self, beneath: &Path, how: OFlags) -> io::Result<OwnedFd> {
        let beneath = if beneath.as_os_str().is_empty() { Path::new(".") } else { beneath };
        let flags = how | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | NO_LINKS;
        match openat2(&self.opened, beneath, flags, Mode::empty(), resolve) {
            Err(error) if is_missing(error) => open_name_by_name(&self.opened, beneath, flags),
            opened => Ok(opened?),
        }
    }
}

/// Opens a path that has no links, neither at its end nor on the way.
pub(super) fn open_without_links(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::CLOEXEC;
    match openat2(CWD, path, flags, Mode::empty(), NO_LINKS) {
        Err(error) if is_missing(error) => {
            let top = openat(CWD, "/", SEARCH, Mode::empty())?;
            let beneath = path.strip_prefix("/").map_err(io::Error::other)?;
            open_name_by_name(&top, beneath, flags)
        }
        opened => Ok(opened?),
    }
}

/// Returns whether the system call does not exist here: the sandbox itself denies it to commands, which
/// may have their own sandbox, and so do older containers.
fn is_missing(error: Errno) -> bool {
    matches!(error, Errno::NOSYS | Errno::PERM)
}

/// Opens a path beneath a folder like the system call, which does not exist here.
fn open_name_by_name(top: &OwnedFd, beneath: &Path, flags: OFlags) -> io::Result<OwnedFd> {
    let mut opened = openat(top, ".", SEARCH, Mode::empty())?;
    let mut names = beneath.components().filter(|name| *name != Component::CurDir).peekable();
    if names.peek().is_none() {
        return Ok(openat(&opened, ".", flags, Mode::empty())?);
    }
    while let Some(name) = names.next() {
        let Component::Normal(name) = name else { return Err(Errno::XDEV.into()) };
        let how = if names.peek().is_none() { flags } else { SEARCH };
        opened = openat(&opened, name, how | OFlags::NOFOLLOW, Mode::empty())?;
        if kind(&fstat(&opened)?) == FileType::Symlink {
            return Err(Errno::LOOP.into());
        }
    }
    Ok(opened)
}

/// The flags with which a folder on the way is opened.
const SEARCH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

const NO_LINKS: ResolveFlags = ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS);

/// Returns the entry of a folder with this name, which may be a link; `None` if there is none.
pub(super) fn entry(folder: impl AsFd, name: &OsStr) -> Option<Stat> {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()
}

/// Returns which file or folder is open.
pub(super) fn identity_of(opened: impl AsFd) -> Option<DeviceAndInode> {
    fstat(opened).ok().as_ref().map(identity)
}

pub(super) const fn identity(found: &Stat) -> DeviceAndInode {
    (found.st_dev, found.st_ino)
}

pub(super) fn kind(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{RenameFlags, renameat_with};

    use super::*;

    type Opener = fn(&HeldFolder, &Path) -> io::Result<OwnedFd>;

    /// The system call, and a substitute for systems without it.
    const OPENERS: [Opener; 3] = [
        |held, path| held.read(path),
        |held, path| held.search(path),
        |held, path| open_name_by_name(&held.opened, path, SEARCH),
    ];

    #[test]
    fn folder_replaced_by_symlink_is_not_opened() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = inside.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir(outside.path().join("b")).unwrap();
        symlink(outside.path(), root.join("link")).unwrap();
        let held = HeldFolder::open(&root).unwrap();
        for open in OPENERS {
            assert!(open(&held, Path::new("a/b")).is_ok() && open(&held, Path::new("")).is_ok());
        }
        let (a, link) = (root.join("a"), root.join("link"));
        renameat_with(CWD, &a, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        for path in ["a", "a/b", "../..", "/"] {
            for open in OPENERS {
                assert!(open(&held, Path::new(path)).is_err(), "{path}");
            }
        }
        assert!(HeldFolder::open(&root.join("a")).is_err());
        // The open folder is still the same, wherever it is now.
        fs::rename(&root, outside.path().join("moved")).unwrap();
        symlink("/", &root).unwrap();
        assert!(held.read(Path::new("link/b")).is_ok() && held.read(Path::new("etc")).is_err());
        fs::remove_file(&root).unwrap();
        fs::rename(outside.path().join("moved"), &root).unwrap();
    }
}
