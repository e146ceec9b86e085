//! The folders whose files of settings count.

use std::path::{Path, PathBuf};

/// Returns the folders of the project around a root, the nearest first: the root, and the folders
/// above it up to that of its repository, if it is in one.
pub(crate) fn project_folders(root: &Path) -> Vec<PathBuf> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let above: Vec<_> = root.ancestors().map(Path::to_owned).collect();
    let repository = above.iter().position(|folder| folder.join(".git").symlink_metadata().is_ok());
    above.into_iter().take(repository.unwrap_or(0) + 1).collect()
}
