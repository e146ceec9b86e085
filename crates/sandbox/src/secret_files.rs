//! The files with secret names, which are looked for before each command.
//!
//! The look goes one level of folders after the other, opens each folder name by name from the root
//! and follows no link. It stops before it has read too much, and says so. It does not look into
//! the folders of git and of installed packages.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, openat, statat};

use crate::command::SecretAccess;
use crate::sandbox::Sandbox;

/// The files and folders with secret names beneath some folders.
#[derive(Clone, Debug, Default)]
pub(crate) struct SecretFiles {
    pub(crate) paths: Vec<PathBuf>,
    /// Whether some may be missing, or are too many.
    pub(crate) is_cut: bool,
}

impl Sandbox {
    /// Returns the files with secret names that a command must not see.
    pub(crate) fn secrets(&self, access: &SecretAccess) -> SecretFiles {
        let (Some(is_secret), SecretAccess::Named(named)) = (self.options.secret_names, access)
        else {
            return SecretFiles::default();
        };
        let mut look = SecretLook { is_secret, named, left: MOST_ENTRIES, ..SecretLook::default() };
        for folder in [&self.options.root].into_iter().chain(&self.options.writable) {
            look.look_beneath(folder, &self.options.hidden);
        }
        let is_cut = !self.layers().namespaces && look.rules() > MOST_RULES;
        look.found.is_cut |= is_cut || look.found.paths.len() > MOST_FOUND;
        look.found.paths.sort_unstable();
        look.found.paths.truncate(MOST_FOUND);
        *self.secret_look.lock().unwrap_or_else(PoisonError::into_inner) = Some(look.found.is_cut);
        look.found
    }

    /// Returns whether files with some names are hidden from commands.
    pub fn hides_secrets(&self) -> bool {
        self.options.secret_names.is_some()
    }

    /// Returns whether commands see a path beneath the root, relative to it, only if they are allowed
    /// to ([`SandboxOptions::with_secret_names`](crate::SandboxOptions::with_secret_names)).
    pub fn is_secret_name(&self, path: &Path) -> bool {
        self.options.secret_names.is_some_and(|is_secret| is_secret(path))
    }

    /// Returns whether the latest look could not find or hide all secrets. Without one it looks.
    pub(crate) fn is_partly_hidden(&self) -> bool {
        let known = *self.secret_look.lock().unwrap_or_else(PoisonError::into_inner);
        known.unwrap_or_else(|| self.secrets(&SecretAccess::Named(Vec::new())).is_cut)
    }
}

/// Whether the latest look of a sandbox was cut; `None` before the first one.
pub(crate) type LatestLook = Mutex<Option<bool>>;

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
                for (name, kind) in entries(opened) {
                    let Some(left) = self.left.checked_sub(1) else {
                        self.found.is_cut = true;
                        return;
                    };
                    self.left = left;
                    *self.sizes.entry(root.join(&folder)).or_default() += 1;
                    let inside = folder.join(name);
                    let path = root.join(&inside);
                    let is_folder = kind == FileType::Directory;
                    if kind == FileType::Symlink || hidden.contains(&path) {
                        continue;
                    }
                    if (self.is_secret)(&inside) {
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

    /// Returns the number of rules that Landlock needs: one for each entry beside what is hidden, in
    /// all folders above it.
    fn rules(&self) -> usize {
        let above = |folder: &Path| {
            self.found.paths.iter().any(|path| path != folder && path.starts_with(folder))
        };
        self.sizes.iter().filter(|(folder, _)| above(folder)).map(|(_, size)| size).sum()
    }
}

impl Default for SecretLook<'_> {
    fn default() -> Self {
        let (found, sizes) = (SecretFiles::default(), BTreeMap::new());
        Self { is_secret: |_| false, named: &[], left: 0, found, sizes }
    }
}

/// Returns whether a folder is git's, where a branch may have any name, or has installed packages,
/// which bring certificates and examples in great number.
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
