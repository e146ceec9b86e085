//! Which files of a git folder make git run programs, or lead it to other git folders.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Dir, FileType};

use super::{MODULES, text_of};
use crate::helper::held_folder::{HeldFolder, entry, kind};
use crate::settings::RepositorySettings;

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

/// Returns the paths in the common folder that git's settings name. Included files are relative to the
/// settings; others, such as hooks, are relative to the top.
fn named_in(settings: &str, own: &Path, common: &Path, top: &Path) -> Vec<PathBuf> {
    let mut is_include = false;
    let mut found = Vec::new();
    for line in settings.lines().map(str::trim) {
        if line.starts_with('[') {
            is_include = line.to_ascii_lowercase().starts_with("[include");
        }
        let Some((_, value)) = line.split_once('=') else { continue };
        let words = value.split(|char: char| char.is_whitespace() || "\"'!;:".contains(char));
        for word in words.filter(|word| !word.is_empty()) {
            let Some(path) = normal(&(if is_include { own } else { top }).join(word)) else {
                continue;
            };
            let Ok(inside) = path.strip_prefix(common) else { continue };
            let is_data =
                inside.iter().next().is_none_or(|first| DATA.iter().any(|data| first == *data));
            if !is_data && found.len() < MOST_NAMED {
                found.push(inside.to_owned());
            }
        }
    }
    found
}

/// Returns a path without `.` and `..`; `None` if it leads above the top.
pub(super) fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if !out.pop() => return None,
            Component::ParentDir => {}
            part => out.push(part),
        }
    }
    Some(out)
}

/// What no command changes in a git folder. `branches` and `remotes` are old places of addresses.
const GUARDED: &[&str] = &[
    "branches",
    "config",
    "config.worktree",
    "hooks",
    "info/attributes",
    "info/exclude",
    MODULES,
    "objects/info/alternates",
    "remotes",
];

/// What only the git folder of a linked working tree has.
pub(super) const NEVER: &[&str] = &["commondir", "gitdir"];

/// What can be empty without a meaning to git, and whether it is a folder. A folder is before what is
/// in it.
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

/// What commands with the right to change data have to change, whatever settings name.
const DATA: &[&str] = &["HEAD", "index", "logs", "objects", "refs", "worktrees"];

/// The number of git folders of submodules.
const MOST_MODULES: usize = 200;

/// The number of parts of the path of a submodule's git folder.
const MOST_LEVELS: usize = 16;

/// The number of entries that are looked at in a folder.
const MOST_ENTRIES: usize = 10_000;

/// The number of paths that settings name.
const MOST_NAMED: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_name_paths_in_the_git_folder() {
        let settings = "[core]\n\thooksPath = .git/own-hooks\n\tbare = false\n\
            [include]\n\tpath = more/settings\n\tpath = ../elsewhere\n\
            [filter \"x\"]\n\tclean = \"/r/.git/clean --all\"\n\tsmudge = !sh .git/smudge.sh\n\
            [branch \"main\"]\n\tmerge = refs/heads/main\n[x]\n\ty = .git/refs/heads/z\n";
        let common = Path::new("/r/.git");
        let found = named_in(settings, common, common, Path::new("/r"));
        let expected = ["own-hooks", "more/settings", "clean", "smudge.sh"].map(PathBuf::from);
        assert_eq!(found, expected);
    }
}
