//! The local sockets of programs outside, in folders that a command sees.
//!
//! The kernel lists the sockets of this program's network with the names that they were given and
//! the numbers of their files. A socket that has moved since, or whose name is relative to an
//! unknown folder, is searched for by its number.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use crate::linux::socket_list::{BoundSocket, bound_sockets};

/// A search for the sockets of programs outside, which is repeated before each command.
#[derive(Debug, Default)]
pub(crate) struct OutsideSockets {
    /// The folders in which a socket was searched by its number without success.
    absent: BTreeSet<(PathBuf, u32)>,
}

impl OutsideSockets {
    /// Returns the sockets beneath the paths that are `shown`; `None` if some may be missing.
    /// Sockets that are not at their named paths are searched for in the `searched` folders, once
    /// for each of them.
    pub(crate) fn among<'p>(
        &mut self,
        shown: impl Iterator<Item = &'p PathBuf> + Clone,
        searched: &[PathBuf],
    ) -> Option<Vec<PathBuf>> {
        let mut found = BTreeSet::new();
        let mut lost = Vec::new();
        for socket in bound_sockets().ok()? {
            let there = real(&socket);
            if there.as_ref().is_none_or(|(_, names)| *names > 1) {
                lost.push(socket);
            }
            found.extend(there.map(|(path, _)| path));
        }
        self.absent.retain(|(_, number)| lost.iter().any(|socket| socket.number == *number));
        let mut left = MOST_ENTRIES;
        for folder in searched {
            found.extend(self.look_beneath(folder, &lost, &mut left)?);
        }
        let is_shown = |path: &PathBuf| shown.clone().any(|above| path.starts_with(above));
        let found: Vec<_> = found.into_iter().filter(is_shown).collect();
        // The settings of a helper are text.
        let is_text = found.iter().all(|path| path.to_str().is_some());
        (is_text && found.len() <= MOST_FOUND).then_some(found)
    }

    /// Searches for the sockets that may be in a folder; `None` if it has too many entries to read
    /// all.
    fn look_beneath(
        &mut self,
        folder: &Path,
        lost: &[BoundSocket],
        left: &mut usize,
    ) -> Option<Vec<PathBuf>> {
        let devices = devices(folder);
        let mut here = BTreeMap::new();
        for socket in lost {
            let place = (folder.to_owned(), socket.number);
            if devices.contains(&socket.device) && !self.absent.contains(&place) {
                here.insert(socket.inode, place);
            }
        }
        if here.is_empty() {
            return Some(Vec::new());
        }
        let found = look(folder, &here.keys().copied().collect(), left)?;
        found.iter().for_each(|(_, inode)| drop(here.remove(inode)));
        self.absent.extend(here.into_values());
        Some(found.into_iter().map(|(path, _)| path).collect())
    }
}

/// Returns the sockets of this program's network that are where their names say, without links.
pub(crate) fn named_sockets() -> BTreeSet<PathBuf> {
    let all = bound_sockets().unwrap_or_default();
    all.iter().filter_map(|socket| real(socket).map(|(path, _)| path)).collect()
}

/// Returns the path of a socket, without links, and the number of its names, if its name leads to
/// it.
fn real(socket: &BoundSocket) -> Option<(PathBuf, u64)> {
    let name = socket.name.is_absolute().then_some(&socket.name)?;
    let real = name.parent()?.canonicalize().ok()?.join(name.file_name()?);
    let at = fs::symlink_metadata(&real).ok()?;
    let is_it = at.file_type().is_socket() && half(at.ino()) == socket.inode;
    is_it.then(|| (real, at.nlink()))
}

/// Searches for sockets with one of the numbers; `None` if there are too many entries to read all.
fn look(top: &Path, inodes: &BTreeSet<u32>, left: &mut usize) -> Option<Vec<(PathBuf, u32)>> {
    let (mut folders, mut found) = (vec![top.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            *left = left.checked_sub(1)?;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_socket() {
                let inode = entry.metadata().map(|at| half(at.ino()));
                found.extend(inode.ok().map(|inode| (entry.path(), inode)));
            }
        }
    }
    found.retain(|(_, inode)| inodes.contains(inode));
    Some(found)
}

/// Returns the numbers that the file system of a folder may have in the list: some file systems show
/// people another number than the kernel has.
fn devices(folder: &Path) -> Vec<u32> {
    let own = fs::metadata(folder).map(|at| (major(at.dev()), minor(at.dev()))).ok();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let above = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(2);
        let (device, path) = (fields.next()?, fields.nth(1)?);
        let (major, minor) = device.split_once(':')?;
        folder.starts_with(path).then_some((major.parse().ok()?, minor.parse().ok()?))
    });
    above.chain(own).map(|(major, minor): (u32, u32)| (major << 20) | minor).collect()
}

/// Returns the part of the number of a file that the list has.
const fn half(inode: u64) -> u32 {
    (inode & 0xffff_ffff) as u32
}

/// The number of entries that a look reads.
const MOST_ENTRIES: usize = 400_000;

/// The number of sockets that are covered: each of them costs a mount.
const MOST_FOUND: usize = 1000;

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn sockets_are_found_by_all_their_real_paths() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, other) = (folder.path().canonicalize().unwrap(), other.path());
        fs::create_dir(root.join("a b")).unwrap();
        std::os::unix::fs::symlink(&root, other.join("link")).unwrap();
        let _inside = UnixListener::bind(other.join("link/a b/so ck")).unwrap();
        let _beside = UnixListener::bind(other.join("beside")).unwrap();
        let _moved = UnixListener::bind(root.join("moved")).unwrap();
        fs::rename(root.join("moved"), root.join("a b/away")).unwrap();
        fs::write(root.join("moved"), "").unwrap();
        let _twice = UnixListener::bind(root.join("one")).unwrap();
        fs::hard_link(root.join("one"), root.join("two")).unwrap();
        drop(UnixListener::bind(root.join("stale")).unwrap());
        let shown = [root.clone()];
        let expected = ["a b/away", "a b/so ck", "one", "two"].map(|name| root.join(name));
        let mut sockets = OutsideSockets::default();
        for _ in 0..2 {
            assert_eq!(sockets.among(shown.iter(), &shown).unwrap(), expected);
        }
        // It has moved once more, and another one is new.
        fs::rename(root.join("a b/away"), root.join("away")).unwrap();
        let _new = UnixListener::bind(root.join("new")).unwrap();
        fs::rename(root.join("new"), root.join("newer")).unwrap();
        let expected = ["a b/so ck", "away", "newer", "one", "two"].map(|name| root.join(name));
        assert_eq!(sockets.among(shown.iter(), &shown).unwrap(), expected);
    }

    #[test]
    fn too_many_entries_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        let look = |mut left| look(folder.path(), &BTreeSet::new(), &mut left);
        assert_eq!((look(1), look(0)), (Some(Vec::new()), None));
    }
}
