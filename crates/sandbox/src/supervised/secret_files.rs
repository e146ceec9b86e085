//! The files with secret names, which are searched before each command.
//!
//! The look goes one level of folders after the other, opens each folder name by name from the root
//! and follows no link. It stops before it has read too much, and says so. It does not look into
//! the folders of git and of installed packages.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, openat, statat};

/// The files and folders with secret names beneath some folders.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecretFiles {
    pub(crate) paths: Vec<PathBuf>,
    /// Whether some may be missing, or are too many.
    pub(crate) is_cut: bool,
}

impl SecretFiles {
    /// Searches folders for files that a command must not see: files with secret names that are
    /// neither `named` nor in a named folder. Paths in `hidden` are skipped. With Landlock rules in
    /// place of mounts, the number of entries beside them is also bounded.
    pub(crate) fn find<'f>(
        folders: impl IntoIterator<Item = &'f PathBuf>,
        is_secret: fn(&Path) -> bool,
        (named, hidden): (&[PathBuf], &[PathBuf]),
        has_mounts: bool,
    ) -> Self {
        let (found, sizes) = (Self::default(), BTreeMap::new());
        let mut look = SecretLook { is_secret, named, left: MOST_ENTRIES, found, sizes };
        for folder in folders {
            look.look_beneath(folder, hidden);
        }
        let is_costly = !has_mounts && look.rules() > MOST_RULES;
        let mut found = look.found;
        let count = found.paths.len();
        // The settings of a helper are text.
        found.paths.retain(|path| path.to_str().is_some());
        found.is_cut |= is_costly || found.paths.len() < count || count > MOST_FOUND;
        found.paths.sort_unstable();
        found.paths.truncate(MOST_FOUND);
        found
    }

    /// Adds the files that were found elsewhere.
    pub(crate) fn add(&mut self, others: Self) {
        self.paths.extend(others.paths);
        self.is_cut |= others.is_cut;
    }
}

struct SecretLook<'a> {
    is_secret: fn(&Path) -> bool,
    /// The paths that the command may see.
    named: &'a [PathBuf],
    /// The number of entries that may still be read.
    left: usize,
    found: SecretFiles,
    /// The number of entries of each folder.
    sizes: BTreeMap<PathBuf, usize>,
}

impl SecretLook<'_> {
    fn look_beneath(&mut self, root: &Path, hidden: &[PathBuf]) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(top) = open(root, flags, Mode::empty()) else { return };
        let mut folders = vec![PathBuf::new()];
        for _ in 0..MOST_LEVELS {
            let mut deeper = Vec::new();
            for folder in folders {
                let Some(opened) = opened_beneath(&top, &folder) else { continue };
                if self.left == 0 {
                    self.found.is_cut = true;
                    return;
                }
                let mut entries = entries(opened);
                self.found.is_cut |= entries.len() > self.left;
                entries.truncate(self.left);
                self.left -= entries.len();
                self.sizes.insert(root.join(&folder), entries.len());
                for (name, kind) in entries {
                    let is_folder = kind == FileType::Directory;
                    let inside = folder.join(name);
                    let is_secret = (self.is_secret)(&inside);
                    if kind == FileType::Symlink || !(is_secret || is_folder) {
                        continue;
                    }
                    let path = root.join(&inside);
                    if hidden.contains(&path) {
                        continue;
                    }
                    if is_secret {
                        let is_inside = |named: &&PathBuf| named.starts_with(&path);
                        match self.named.iter().find(is_inside) {
                            None => self.found.paths.push(path),
                            // It is seen with all that is in it.
                            Some(named) if *named == path => {}
                            Some(_) if is_folder => deeper.push(inside),
                            Some(_) => {}
                        }
                    } else if is_folder && !is_passed_over(&inside) {
                        deeper.push(inside);
                    }
                }
            }
            folders = deeper;
        }
        self.found.is_cut |= !folders.is_empty();
    }

    /// Returns the number of rules that Landlock needs: one for each entry beside a hidden one, in
    /// all folders above it.
    fn rules(&self) -> usize {
        let above = |folder: &Path| {
            self.found.paths.iter().any(|path| path != folder && path.starts_with(folder))
        };
        self.sizes.iter().filter(|(folder, _)| above(folder)).map(|(_, size)| size).sum()
    }
}

/// Returns whether a folder is git's, where a branch may have any name, or has installed packages,
/// which bring many certificates and examples.
fn is_passed_over(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    PASSED_OVER.iter().any(|passed| *passed == name)
}

/// Opens a folder name by name, without links.
fn opened_beneath(top: &OwnedFd, folder: &Path) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = openat(top, ".", flags, Mode::empty()).ok()?;
    for name in folder {
        at = openat(&at, name, flags, Mode::empty()).ok()?;
    }
    Some(at)
}

/// Returns the entries of a folder with their kinds.
fn entries(folder: OwnedFd) -> Vec<(OsString, FileType)> {
    let Ok(listed) = Dir::read_from(&folder) else { return Vec::new() };
    let entries = listed.filter_map(Result::ok).filter_map(|entry| {
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            return None;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let found = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                FileType::from_raw_mode(found.st_mode)
            }
            kind => kind,
        };
        Some((OsString::from_vec(name.to_bytes().to_vec()), kind))
    });
    entries.collect()
}

const PASSED_OVER: [&str; 4] = [".git", "dist-packages", "node_modules", "site-packages"];

/// The number of entries that a look reads.
const MOST_ENTRIES: usize = 200_000;

/// The number of levels of folders that a look reads.
const MOST_LEVELS: usize = 64;

/// The number of paths that are hidden: each of them costs a mount.
const MOST_FOUND: usize = 1000;

/// The number of rules of Landlock.
const MOST_RULES: usize = 20_000;
