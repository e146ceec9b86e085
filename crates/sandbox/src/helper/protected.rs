//! Protected paths that come into being while a command runs.
//!
//! A mount protects only what exists. So the supervisor notes what is at each protected path before
//! a command, and what the command puts there is renamed after it. Without namespaces nothing needs
//! to be renamed, because Landlock then lets nothing be created beside a protected path.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::settings::HelperSettings;

/// The protected paths that a command could still make.
pub(super) struct ProtectedIdentities(Vec<ProtectedIdentity>);

/// A protected path, with what was there before the command.
struct ProtectedIdentity {
    /// The path, whose folder is without links.
    path: PathBuf,
    own: Option<DeviceAndInode>,
    /// The folder: a command can move it away, and make another.
    folder: Option<DeviceAndInode>,
}

/// A device and an inode.
pub(super) type DeviceAndInode = (u64, u64);

impl ProtectedIdentities {
    pub(super) fn note(settings: &HelperSettings) -> Self {
        let noted = settings.protected.iter().cloned().map(|path| {
            let (own, folder) = (identity(&path), path.parent().and_then(identity));
            ProtectedIdentity { path, own, folder }
        });
        Self(noted.collect())
    }

    /// Renames what the command has put at a protected path, and returns the new names.
    pub(super) fn set_aside(&self) -> Vec<PathBuf> {
        self.0.iter().filter_map(|before| before.replaced()).filter_map(renamed).collect()
    }
}

impl ProtectedIdentity {
    /// Returns what is at the path and was not there before. What existed is guarded by a mount and
    /// can be changed by others meanwhile, unless its whole folder was exchanged.
    fn replaced(&self) -> Option<&Path> {
        // A link on the way leads to where the path has never been: the link is what is new.
        let above: Vec<_> = self.path.ancestors().skip(1).collect();
        if let Some(link) = above.into_iter().rev().find(|path| path.is_symlink()) {
            return Some(link);
        }
        let is_same_folder = self.path.parent().and_then(identity) == self.folder;
        let now = identity(&self.path)?;
        let is_guarded = self.own.is_some() && is_same_folder;
        (self.own != Some(now) && !is_guarded).then_some(&self.path)
    }
}

/// Returns what is at a path, which may be a link.
pub(super) fn identity(path: &Path) -> Option<DeviceAndInode> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Gives a file or folder a name that no program looks for, and returns it. If even that fails, it
/// returns the old name.
pub(super) fn renamed(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let free = (1..=MOST).map(|number| path.with_file_name(format!("{name}.set-aside-{number}")));
    let to = free.into_iter().find(|to| identity(to).is_none())?;
    Some(if fs::rename(path, &to).is_ok() { to } else { path.to_owned() })
}

/// The number of names that are tried.
const MOST: u32 = 1000;
