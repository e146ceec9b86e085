//! The names in a git folder that make git run programs, or lead it to other git folders.
//!
//! This module computes names from texts, and looks at no file.

use std::path::{Component, Path, PathBuf};

/// Returns the paths in the common folder that git's settings name. Included files are relative to the
/// settings; others, such as hooks, are relative to the top.
pub(crate) fn named_in(settings: &str, own: &Path, common: &Path, top: &Path) -> Vec<PathBuf> {
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
pub(crate) fn normal(path: &Path) -> Option<PathBuf> {
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

/// The paths in a git folder that no command changes. `branches` and `remotes` are old places of
/// addresses.
pub(crate) const GUARDED: &[&str] = &[
    "branches",
    "config",
    "config.worktree",
    "hooks",
    "info/attributes",
    "info/exclude",
    "modules",
    "objects/info/alternates",
    "remotes",
];

/// The paths that only the git folder of a linked working tree has.
pub(crate) const NEVER: &[&str] = &["commondir", "gitdir"];

/// The paths that commands with the right to change data have to change, whatever settings name.
const DATA: &[&str] = &["HEAD", "index", "logs", "objects", "refs", "worktrees"];

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
