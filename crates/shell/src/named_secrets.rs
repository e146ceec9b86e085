//! The files with secret names that the text of a command names.
//!
//! A file is named if the text contains its path, from the folder of the command, from a folder that
//! the text names, or from the root. A shell can spell a path in other ways; such a file is not
//! named, and stays hidden.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use silcrow_sandbox::Sandbox;

/// Returns the files that exist beneath the root, have secret names and are named in the text.
pub(crate) fn named_secrets(sandbox: &Sandbox, folder: &Path, text: &str) -> Vec<PathBuf> {
    let root = sandbox.root();
    let is_secret =
        |path: &Path| path.strip_prefix(root).is_ok_and(|inside| sandbox.is_secret_name(inside));
    let words: BTreeSet<_> = text.split(|char| !is_part_of_path(char)).take(MOST_WORDS).collect();
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let named_folders = words.iter().filter_map(|word| normal(&folder.join(word)));
    let named_folders = named_folders.filter(|path| path.starts_with(root) && path.is_dir());
    let mut bases = vec![folder.to_owned(), root.to_owned()];
    bases.extend(named_folders.take(MOST_FOLDERS));
    let mut found = BTreeSet::new();
    for base in &bases {
        for word in &words {
            let Some(path) = normal(&base.join(word)) else { continue };
            if is_pattern(word) {
                let matching = matching(&path).into_iter().filter_map(|path| without_links(&path));
                found.extend(matching.filter(|path| is_secret(path)));
            } else if is_secret(&path) && fs::symlink_metadata(&path).is_ok() {
                found.extend(without_links(&path).filter(|path| is_secret(path)));
            }
        }
    }
    found.into_iter().take(MOST_NAMED).collect()
}

fn is_part_of_path(char: char) -> bool {
    char.is_alphanumeric() || "._-/~+%*?".contains(char)
}

/// Returns a path without `.` and `..`, or `None` if it leads above the top.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            part => out.push(part),
        }
    }
    Some(out)
}

/// Returns the path with the links of its folder resolved.
fn without_links(path: &Path) -> Option<PathBuf> {
    Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?))
}

/// Returns whether the last name of a word is a pattern that is aimed at something, unlike `*`.
fn is_pattern(word: &str) -> bool {
    let last = word.rsplit('/').next().unwrap_or_default();
    let others = last.chars().filter(|char| !matches!(char, '*' | '?')).count();
    last.contains(['*', '?']) && (others > 1 || last.starts_with('.'))
}

/// Returns the entries of a folder whose names match the last name of a path.
fn matching(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(pattern)) = (path.parent(), path.file_name().and_then(OsStr::to_str))
    else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder).into_iter().flatten().take(MOST_ENTRIES);
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| matches(pattern, name)).map(|name| folder.join(name)).collect()
}

/// Returns whether a name matches a pattern of `*` and `?`.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<_>, Vec<_>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    // The places after the latest `*` and after the text that it matches.
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, in_name));
                at += 1;
            }
            Some(char) if *char == '?' || *char == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((after, stands_for)) = star else { return false };
                star = Some((after, stands_for + 1));
                (at, in_name) = (after, stands_for + 1);
            }
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

/// The number of words of a text that are checked.
const MOST_WORDS: usize = 2000;

/// The number of folders that a text names.
const MOST_FOLDERS: usize = 16;

/// The number of entries of a folder that a pattern is compared with.
const MOST_ENTRIES: usize = 10_000;

/// The number of files that a text names.
const MOST_NAMED: usize = 100;

#[test]
fn patterns_match_whole_names() {
    for (pattern, name, expected) in [
        ("*.pem", "a.pem", true),
        ("*.pem", "a.pem.txt", false),
        (".env*", ".env.local", true),
        ("id_?sa", "id_rsa", true),
        ("a*b*c", "aXbYbZc", true),
        ("a*b*c", "aXbYbZ", false),
        ("**", "", true),
    ] {
        assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
    }
}
