//! Files of a git folder that make git run programs, or lead it to other git folders.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType};

use super::{MODULES, text_of};
use crate::linux::helper::held_folder::{HeldFolder, entry, kind};
use crate::supervised::git_names::{GUARDED, named_in};
use crate::supervised::settings::RepositorySettings;

/// Returns the paths in a git folder that a command must not change, whether they exist or not.
/// `folder` and the results are relative to the common folder.
pub(super) fn in_git_folder(
    common: &HeldFolder,
    folder: &Path,
    repository: &RepositorySettings,
) -> Vec<PathBuf> {
    let mut paths: Vec<_> = GUARDED.iter().map(|path| folder.join(path)).collect();
    let Ok(opened) = common.search(folder) else { return paths };
    let settings = ["config", "config.worktree"].map(|name| text_of(&opened, name.as_ref()));
    for settings in settings.into_iter().flatten() {
        let own = common.path().join(folder);
        paths.extend(named_in(&settings, &own, common.path(), &repository.top));
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Returns the git folders of submodules, relative to the common folder.
pub(super) fn modules(common: &HeldFolder) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![PathBuf::from(MODULES)];
    while let Some(folder) = left.pop() {
        if found.len() == MOST_MODULES {
            break;
        }
        for name in folders_in(common, &folder) {
            let inside = folder.join(name);
            let Ok(opened) = common.search(&inside) else { continue };
            let is_git = ["HEAD", "objects", "refs"]
                .iter()
                .all(|name| entry(&opened, name.as_ref()).is_some());
            // The name of a submodule may have a slash.
            match is_git {
                true => {
                    left.push(inside.join(MODULES));
                    found.push(inside);
                }
                false if inside.iter().count() < MOST_LEVELS => left.push(inside),
                false => {}
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns the names of the folders in a folder beneath the common one.
pub(super) fn folders_in(common: &HeldFolder, folder: &Path) -> Vec<OsString> {
    let Ok(opened) = common.read(folder) else { return Vec::new() };
    let is_folder = |name: &OsString| {
        entry(&opened, name).is_some_and(|found| kind(&found) == FileType::Directory)
    };
    names_in(&opened).into_iter().filter(is_folder).collect()
}

/// Returns the names in an open folder.
pub(super) fn names_in(opened: &OwnedFd) -> Vec<OsString> {
    let listed = Dir::read_from(opened).into_iter().flatten().filter_map(Result::ok);
    let names = listed.map(|entry| OsString::from_vec(entry.file_name().to_bytes().to_vec()));
    names.filter(|name| name != "." && name != "..").take(MOST_ENTRIES).collect()
}

/// Paths that mean nothing to git when empty, and whether each is a folder. A folder is before its
/// contents.
pub(super) const NEUTRAL: &[(&str, bool)] = &[
    ("branches", true),
    ("hooks", true),
    (MODULES, true),
    ("remotes", true),
    ("config.worktree", false),
    ("info", true),
    ("info/attributes", false),
    ("info/exclude", false),
    ("objects/info", true),
    ("objects/info/alternates", false),
];

/// The number of git folders of submodules.
const MOST_MODULES: usize = 200;

/// The number of parts of the path of a submodule's git folder.
const MOST_LEVELS: usize = 16;

/// The number of entries that are checked in a folder.
const MOST_ENTRIES: usize = 10_000;
