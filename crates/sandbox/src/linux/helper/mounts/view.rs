//! The view of files: a root that has only the paths that a command may read or write.
//!
//! Neither Landlock nor a network namespace keeps a command from connecting to a local socket. So
//! the sockets that it must not reach have no name: the folders where other programs have their
//! sockets, such as `/run`, `/tmp` and most of a home folder, are absent, even for later sockets.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fstat, mkdirat, openat, readlink, statat, symlinkat,
};
use rustix::io::Errno;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::process::{chdir, fchdir, pivot_root};

use super::SHARED_MEMORY;
use super::held_mounts::{attach, cloned, name_of, opened};
use crate::linux::helper::held_folder::kind;
use crate::sandbox::HIDDEN_PLACE;
use crate::supervised::settings::HelperSettings;

/// Makes the view and enters it, with a `/proc` of the command's own processes.
pub(super) fn enter(settings: &HelperSettings) -> io::Result<()> {
    let proc_flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let shown = shown(settings);
    if shown.iter().any(|path| path.parent().is_none()) {
        return Ok(mount("proc", PROC, "proc", proc_flags, None)?);
    }
    // They are held before the view covers one of them.
    let trees = shown.iter().filter_map(|path| Some((path, opened(path).ok()?)));
    let trees = trees.map(|(path, opened)| Ok((path, cloned(&opened)?)));
    let trees: Vec<(&PathBuf, OwnedFd)> = trees.collect::<io::Result<_>>()?;

    let place = settings.given.join(HIDDEN_PLACE);
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", &place, "tmpfs", flags, Some(c"size=16m,mode=0755"))?;
    let view = FileView { top: opened(&place)? };
    for (path, tree) in trees {
        let is_folder = kind(&fstat(&tree)?) == FileType::Directory;
        attach(&tree, &view.make(path, is_folder)?)?;
    }
    mount("proc", name_of(&view.make(Path::new(PROC), true)?), "proc", proc_flags, None)?;
    if Path::new(SHARED_MEMORY).is_dir() {
        view.make(Path::new(SHARED_MEMORY), true)?;
    }
    for (name, target) in DEVICE_LINKS {
        view.link(&Path::new("/dev").join(name), Path::new(target))?;
    }
    for link in &settings.links {
        if let Ok(target) = readlink(link, Vec::new()) {
            view.link(link, Path::new(&*target.to_string_lossy()))?;
        }
    }
    // Programs expect it, though there may be nothing in it.
    if let Some((_, home)) = settings.environment.iter().find(|(name, _)| name == "HOME") {
        let _ = view.folder(Path::new(home));
    }
    fchdir(&view.top)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    Ok(chdir("/")?)
}

/// Returns the paths that the view has, without those that are inside another one.
fn shown(settings: &HelperSettings) -> Vec<PathBuf> {
    let mut paths: Vec<_> = settings.readable.iter().chain(&settings.writable).collect();
    paths.sort_unstable();
    let mut shown: Vec<PathBuf> = Vec::new();
    for path in paths {
        let is_inside = shown.last().is_some_and(|above| path.starts_with(above));
        if !is_inside && !path.starts_with(PROC) && !path.starts_with(SHARED_MEMORY) {
            shown.push(path.clone());
        }
    }
    shown
}

/// A file system in memory that becomes the root.
struct FileView {
    top: OwnedFd,
}

impl FileView {
    /// Makes a mount point, with the folders above it, and opens it. Inside an existing mount
    /// nothing is made.
    fn make(&self, path: &Path, is_folder: bool) -> io::Result<OwnedFd> {
        let (folder, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
        let folder = self.folder(folder)?;
        if is_folder {
            return self.open_or_make(&folder, Path::new(name));
        }
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&folder, name, flags, Mode::empty()) {
            Err(Errno::NOENT) if self.is_own(&folder)? => {
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                openat(&folder, name, flags, Mode::RUSR)?;
                Ok(openat(&folder, name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
            }
            opened => Ok(opened?),
        }
    }

    /// Makes a link, if nothing else has the name.
    fn link(&self, path: &Path, target: &Path) -> io::Result<()> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
        // Its folder may be shown anyway, or may not exist.
        let Ok(folder) = self.folder(folder) else { return Ok(()) };
        if self.is_own(&folder)? && statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            symlinkat(target, &folder, name)?;
        }
        Ok(())
    }

    fn folder(&self, path: &Path) -> io::Result<OwnedFd> {
        let names = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(Path::new(name)),
            _ => None,
        });
        let mut folder = openat(&self.top, ".", SEARCH, Mode::empty())?;
        for name in names {
            folder = self.open_or_make(&folder, name)?;
        }
        Ok(folder)
    }

    fn open_or_make(&self, folder: &OwnedFd, name: &Path) -> io::Result<OwnedFd> {
        match openat(folder, name, SEARCH, Mode::empty()) {
            Err(Errno::NOENT) if self.is_own(folder)? => {
                mkdirat(folder, name, Mode::from_raw_mode(0o755))?;
                Ok(openat(folder, name, SEARCH, Mode::empty())?)
            }
            opened => Ok(opened?),
        }
    }

    /// Returns whether a folder belongs to the view itself, and not to a mount in it.
    fn is_own(&self, folder: &OwnedFd) -> io::Result<bool> {
        Ok(fstat(folder)?.st_dev == fstat(&self.top)?.st_dev)
    }
}

const SEARCH: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

const PROC: &str = "/proc";

/// The links of `/dev` with which shells name descriptors.
const DEVICE_LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
