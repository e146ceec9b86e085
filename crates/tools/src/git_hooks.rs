//! The folders whose files git runs because a repository's configuration names them.
//!
//! This module reads git's configuration.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::open_folder::OpenFolder;
use crate::resolve::ResolvedPath;
use crate::system::{self, FileId};

/// Returns whether the place is in a folder whose files git runs as hooks, because the
/// configuration of a repository above it says so (`core.hooksPath`). `ids` are the folders from
/// the root down.
pub(crate) fn is_hook(place: &ResolvedPath, ids: &[FileId]) -> bool {
    place.trail.folders().enumerate().any(|(depth, folder)| {
        let Some(hooks) = hooks_folder(folder) else { return false };
        let id = if hooks.is_absolute() {
            FileId::at(&hooks)
        } else {
            folder.dir.metadata(&hooks).ok().map(|found| FileId::from_metadata(&found))
        };
        // A folder that does not exist yet is recognized by its name.
        id.is_some_and(|id| ids.contains(&id)) || is_named(&hooks, place.names().skip(depth))
    })
}

/// Returns the folder of hooks that the configuration of a work tree names, from the tree on.
pub(crate) fn own_hooks(tree: &OpenFolder, path: &Path) -> Option<PathBuf> {
    hooks_folder(tree).map(|hooks| path.join(hooks))
}

/// Returns whether the names begin with the names of a relative path, in any case.
fn is_named<'n>(hooks: &Path, mut names: impl Iterator<Item = &'n OsStr>) -> bool {
    let mut parts = hooks.components().filter(|part| *part != Component::CurDir).peekable();
    parts.peek().is_some()
        && parts.all(|part| {
            names.next().is_some_and(|name| part.as_os_str().eq_ignore_ascii_case(name))
        })
}

/// Returns the folder of hooks that a work tree's own configuration names.
fn hooks_folder(tree: &OpenFolder) -> Option<PathBuf> {
    let file = system::open_quietly(&tree.dir, Path::new(".git/config")).ok()?;
    let mut config = Vec::new();
    file.take(MAX_CONFIG).read_to_end(&mut config).ok()?;
    hooks_path(&String::from_utf8_lossy(&config)).map(PathBuf::from)
}

/// The number of bytes that are read of a configuration.
const MAX_CONFIG: u64 = 256 << 10;

/// Returns the last value of `core.hooksPath` in the text of a git configuration.
fn hooks_path(config: &str) -> Option<String> {
    let mut is_core = false;
    let mut path = None;
    for line in config.lines() {
        let mut line = line.trim();
        if let Some((section, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']'))
        {
            is_core = section.trim().eq_ignore_ascii_case("core");
            line = rest.trim();
        }
        if let Some((key, value)) = line.split_once('=')
            && is_core
            && key.trim().eq_ignore_ascii_case("hooksPath")
        {
            path = Some(unquoted(value.trim()));
        }
    }
    path.filter(|path| !path.is_empty())
}

/// Returns a value without its quotes, its escapes and a comment after it.
fn unquoted(value: &str) -> String {
    let mut text = String::new();
    let mut is_quoted = false;
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => is_quoted = !is_quoted,
            '\\' => text.extend(chars.next()),
            '#' | ';' if !is_quoted => break,
            _ => text.push(char),
        }
    }
    if is_quoted { text } else { text.trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::hooks_path;

    #[test]
    fn last_core_hooks_path_wins() {
        for (config, expected) in [
            ("[core]\n\thooksPath = .githooks\n", Some(".githooks")),
            ("[Core] HOOKSPATH=a/b ; why\n", Some("a/b")),
            ("[core]\nhooksPath = \"my # hooks\" # why\n", Some("my # hooks")),
            ("[core]\nhooksPath = a\nbare = false\nhooksPath = b\n", Some("b")),
            ("[core]\nhooksPath = a\n[user]\nhooksPath = b\n", Some("a")),
            ("[core]\nhooksPath =\n", None),
            ("[core \"x\"]\nhooksPath = a\n", None),
            ("# [core]\nhooksPath = a\n", None),
            ("", None),
        ] {
            assert_eq!(hooks_path(config).as_deref(), expected, "{config}");
        }
    }
}
