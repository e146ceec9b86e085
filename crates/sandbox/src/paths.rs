//! Paths without links, so that one path inside another is recognized by its text.

use std::path::{Path, PathBuf};

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
