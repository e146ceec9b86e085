//! The protected names, ordered so that most entries of folders are passed over at once.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The names that are protected at any depth, in any case of their letters. A last part that begins
/// with `*`, such as `*.code-workspace`, stands for all names with this ending.
pub(crate) struct NameIndex {
    /// The names, by the length of their last part.
    by_length: Vec<Vec<PathBuf>>,
    /// The names whose last part begins with `*`.
    by_end: Vec<PathBuf>,
    /// The folders of names. A link in the place of one leads to where the names have never been.
    folders: Vec<PathBuf>,
}

impl NameIndex {
    pub(crate) fn new(names: &[String]) -> Self {
        let mut index = Self { by_length: Vec::new(), by_end: Vec::new(), folders: Vec::new() };
        for name in names.iter().map(Path::new) {
            let Some(last) = name.file_name() else { continue };
            if last.as_encoded_bytes().starts_with(b"*") {
                index.by_end.push(name.to_owned());
            } else {
                let length = last.len();
                index.by_length.resize_with(index.by_length.len().max(length + 1), Vec::new);
                index.by_length[length].push(name.to_owned());
            }
            let folders = name.ancestors().skip(1).filter(|folder| *folder != Path::new(""));
            index.folders.extend(folders.map(Path::to_owned));
        }
        index
    }

    /// Returns the number of parts of the protected name with which the path of an entry ends.
    /// `folder` is relative to the root.
    pub(crate) fn length(&self, folder: &Path, name: &OsStr, is_link: bool) -> Option<usize> {
        let names = self.by_length.get(name.len()).map_or(&[][..], Vec::as_slice);
        let folders = if is_link { self.folders.as_slice() } else { &[] };
        let is_it = |protected: &&PathBuf| {
            let mut parts = protected.iter().rev();
            let mut own = std::iter::once(name).chain(folder.iter().rev());
            parts.all(|part| own.next().is_some_and(|own| matches(part, own)))
        };
        let all = names.iter().chain(&self.by_end).chain(folders);
        all.into_iter().find(is_it).map(|it| it.iter().count())
    }
}

/// Returns whether a path, or a folder of it, has a protected name.
pub(crate) fn is_protected_name(names: &[String], path: &Path) -> bool {
    let index = NameIndex::new(names);
    let parts = path.ancestors().filter_map(|part| part.parent().zip(part.file_name()));
    let mut parts = parts.map(|(folder, name)| (folder.strip_prefix("/").unwrap_or(folder), name));
    parts.any(|(folder, name)| index.length(folder, name, false).is_some())
}

/// Returns whether a part of a pattern matches a part of a path.
fn matches(part: &OsStr, own: &OsStr) -> bool {
    let (part, own) = (part.as_encoded_bytes(), own.as_encoded_bytes());
    match part.strip_prefix(b"*") {
        None => own.eq_ignore_ascii_case(part),
        Some(end) => {
            let start = own.len().checked_sub(end.len());
            start.is_some_and(|start| own[start..].eq_ignore_ascii_case(end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_at_any_depth_in_any_case() {
        let names = [".envrc", ".vscode/settings.json", "*.code-workspace"].map(str::to_owned);
        let index = NameIndex::new(&names);
        for (folder, name, is_link, expected) in [
            ("", ".envrc", false, Some(1)),
            ("a/b", ".EnvRC", false, Some(1)),
            ("a/.VSCode", "Settings.json", false, Some(2)),
            ("a", ".vscode", true, Some(1)),
            ("a", ".vscode", false, None),
            ("a", "settings.json", false, None),
            ("a", "x.Code-Workspace", false, Some(1)),
            ("a", ".code-workspace", false, Some(1)),
            ("a", "code-workspace", false, None),
            ("a", ".envrc-example", false, None),
        ] {
            let found = index.length(Path::new(folder), OsStr::new(name), is_link);
            assert_eq!(found, expected, "{folder}/{name}");
        }
    }
}
