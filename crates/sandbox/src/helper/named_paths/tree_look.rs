//! A look through folders for paths with protected names.
//!
//! It reads one level of folders after the other, and stops before it has read too much. It follows
//! no links, and it does not look into what it has found.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What a look has found.
pub(super) struct TreeLook {
    /// The paths, those nearer to the root first.
    pub(super) found: Vec<FoundPath>,
    /// The number of levels that were read whole: 1 for the entries of the root.
    pub(super) levels: usize,
    /// Whether something deeper was left out.
    pub(super) is_cut: bool,
    /// The folders that could not be read.
    pub(super) unread: BTreeSet<PathBuf>,
}

/// A path with a protected name.
pub(super) struct FoundPath {
    pub(super) path: PathBuf,
    /// The number of names in it, from the root.
    pub(super) level: usize,
    /// Whether the protected name begins at the root.
    pub(super) is_at_root: bool,
    pub(super) is_link: bool,
}

impl TreeLook {
    /// Looks through the folders for the names, except in the hidden paths, and reads at most `most`
    /// entries.
    pub(super) fn new(
        roots: &[PathBuf],
        names: &[String],
        hidden: &[PathBuf],
        most: usize,
    ) -> Self {
        let names = NameIndex::new(names);
        let mut look =
            Self { found: Vec::new(), levels: 0, is_cut: false, unread: BTreeSet::new() };
        let mut folders: Vec<_> = roots.iter().map(|root| (root.as_path(), root.clone())).collect();
        let mut left = most;
        while !folders.is_empty() {
            let mut deeper = Vec::new();
            for (root, folder) in folders {
                let Ok(entries) = fs::read_dir(&folder) else {
                    look.unread.insert(folder);
                    continue;
                };
                for entry in entries.filter_map(Result::ok) {
                    let Some(rest) = left.checked_sub(1) else {
                        look.is_cut = true;
                        return look;
                    };
                    left = rest;
                    let Ok(kind) = entry.file_type() else { continue };
                    let name = entry.file_name();
                    let path = || folder.join(&name);
                    if let Some(length) = names.length(root, &folder, &name, kind.is_symlink()) {
                        let level = look.levels + 1;
                        let is_at_root = length == level;
                        let is_link = kind.is_symlink();
                        look.found.push(FoundPath { path: path(), level, is_at_root, is_link });
                    } else if kind.is_dir() && !hidden.contains(&path()) {
                        deeper.push((root, path()));
                    }
                }
            }
            look.levels += 1;
            folders = deeper;
        }
        look.levels = usize::MAX;
        look
    }
}

/// The protected names, ordered so that most entries are passed over at once.
struct NameIndex {
    /// The names, by the length of their last part.
    by_length: Vec<Vec<PathBuf>>,
    /// The folders of names. A link in the place of one leads to where the names have never been.
    folders: Vec<PathBuf>,
}

impl NameIndex {
    fn new(names: &[String]) -> Self {
        let mut index = Self { by_length: Vec::new(), folders: Vec::new() };
        for name in names.iter().map(Path::new) {
            let Some(last) = name.file_name() else { continue };
            let length = last.len();
            index.by_length.resize_with(index.by_length.len().max(length + 1), Vec::new);
            index.by_length[length].push(name.to_owned());
            let folders = name.ancestors().skip(1).filter(|folder| *folder != Path::new(""));
            index.folders.extend(folders.map(Path::to_owned));
        }
        index
    }

    /// Returns the number of parts of the protected name with which the path of an entry ends.
    fn length(&self, root: &Path, folder: &Path, name: &OsStr, is_link: bool) -> Option<usize> {
        let names = self.by_length.get(name.len()).map_or(&[][..], Vec::as_slice);
        let folders = if is_link { self.folders.as_slice() } else { &[] };
        let inside = || folder.strip_prefix(root).into_iter().flat_map(Path::iter).rev();
        let is_it = |protected: &&PathBuf| {
            let mut parts = protected.iter().rev();
            let mut own = std::iter::once(name).chain(inside());
            parts.all(|part| own.next().is_some_and(|own| own.eq_ignore_ascii_case(part)))
        };
        names.iter().chain(folders).find(is_it).map(|it| it.iter().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_found_first_and_a_cut_is_noted() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        for path in ["a/b/.envrc", "c/.VSCode/Settings.json", ".envrc", "c/d/.vscode/notes.json"] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "").unwrap();
        }
        std::os::unix::fs::symlink("c", root.join(".vscode")).unwrap();
        let names = [".envrc".to_owned(), ".vscode/settings.json".to_owned()];
        let look = |most| {
            let look = TreeLook::new(std::slice::from_ref(&root), &names, &[], most);
            let shown = |it: &FoundPath| {
                let path = it.path.strip_prefix(&root).unwrap().display().to_string();
                (path, it.level, it.is_at_root)
            };
            let mut found: Vec<_> = look.found.iter().map(shown).collect();
            found.sort_unstable_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
            (found, look.levels, look.is_cut)
        };
        let near = [(".envrc".to_owned(), 1, true), (".vscode".to_owned(), 1, true)];
        let deep =
            [("a/b/.envrc".to_owned(), 3, false), ("c/.VSCode/Settings.json".to_owned(), 3, false)];
        // The levels have 4, 3, 3 entries, and 1.
        assert_eq!(look(11), ([near.as_slice(), &deep].concat(), usize::MAX, false));
        assert_eq!(look(10), ([near.as_slice(), &deep].concat(), 3, true));
        assert_eq!(look(7), (near.to_vec(), 2, true));
        assert_eq!(look(4), (near.to_vec(), 1, true));
        assert_eq!(look(3).1, 0);
    }
}
