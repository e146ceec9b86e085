//! The files of instructions of the parts of a project, for a person who trusts them all at once.

use std::fs;
use std::path::{Path, PathBuf};

use super::names::named_files;

/// Returns the files in the folders below a root, without hidden folders and folders of packages and
/// builds.
pub(super) fn parts_below(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // A link does not count as a folder here.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !PACKAGES.contains(&&*name) && depth < DEEPEST
            {
                folders.push((entry.path(), depth + 1));
            }
        }
        if depth > 0 {
            found.extend(named_files(&folder).counts);
        }
        if seen > MOST_ENTRIES || found.len() >= MOST_FILES {
            break;
        }
    }
    found.sort();
    found.truncate(MOST_FILES);
    found
}

/// The names of folders with the files of others.
const PACKAGES: [&str; 5] = ["node_modules", "target", "vendor", "venv", "__pycache__"];

/// The depth of the folders that are looked into.
const DEEPEST: usize = 8;

/// The number of entries that are checked.
const MOST_ENTRIES: usize = 50_000;

/// The number of files that are found.
const MOST_FILES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_except_within_packages() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for part in ["web/pages", "node_modules/x", ".hidden", "api"] {
            fs::create_dir_all(root.join(part)).unwrap();
            fs::write(root.join(part).join("AGENTS.md"), "x").unwrap();
        }
        fs::write(root.join("AGENTS.md"), "that of the root is not one of a part").unwrap();
        let expected = ["api/AGENTS.md", "web/pages/AGENTS.md"].map(|name| root.join(name));
        assert_eq!(parts_below(root), expected);
    }
}
