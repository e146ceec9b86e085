//! Paths without links, so that one path inside another is recognized by its text.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Returns the path with the links of its folder resolved, as far as that exists. The path itself
/// may be a link, or missing.
pub(crate) fn without_links(path: &Path) -> PathBuf {
    for folder in path.ancestors().skip(1) {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), path.strip_prefix(folder)) {
            return real.join(rest);
        }
    }
    path.to_owned()
}

/// Returns the paths without links, and what those lead to that are links themselves.
pub(crate) fn with_targets(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<_> = paths.iter().map(|path| without_links(path)).collect();
    let targets: Vec<_> = all.iter().filter_map(|path| path.canonicalize().ok()).collect();
    all.extend(targets);
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the links by which the paths and the home folder are named, each without another link on its
/// way.
pub(crate) fn links<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    for path in paths.into_iter().cloned().chain(env::home_dir()) {
        let mut next = Some(path);
        for _ in 0..MOST_LINKS {
            next = next.and_then(|path| follow(&path, &mut found));
        }
    }
    found.into_iter().collect()
}

/// Follows the first link on a path, notes it, and returns the path that it makes of this one.
fn follow(path: &Path, found: &mut BTreeSet<PathBuf>) -> Option<PathBuf> {
    let mut at = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        match part {
            // What is before has no link.
            Component::ParentDir => drop(at.pop()),
            part => at.push(part),
        }
        if let Ok(target) = fs::read_link(&at) {
            let folder = at.parent().unwrap_or(&at).to_owned();
            found.insert(at);
            return Some(folder.join(target).join(parts.as_path()));
        }
    }
    None
}

/// The number of links that the kernel follows on the way to a file.
const MOST_LINKS: usize = 40;
