//! Protected paths that come into being while a command runs.
//!
//! A mount protects only what exists. So the supervisor notes what is at each protected path before
//! a command, and what the command puts there is renamed after it. Without namespaces nothing needs
//! to be renamed, because Landlock then lets nothing be created beside a protected path.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::settings::HelperSettings;

/// The protected paths, with what was there before the command: a device and an inode.
pub(super) struct ProtectedIdentities(Vec<(PathBuf, Option<Identity>)>);

type Identity = (u64, u64);

impl ProtectedIdentities {
    pub(super) fn note(settings: &HelperSettings) -> Self {
        let paths = settings.protected.iter();
        Self(paths.map(|path| (path.clone(), identity(path))).collect())
    }

    /// Renames everything that is new at a protected path, and returns the new names.
    pub(super) fn set_aside(self) -> Vec<PathBuf> {
        let changed = self.0.into_iter().filter(|(path, before)| {
            let now = identity(path);
            now.is_some() && now != *before
        });
        changed.filter_map(|(path, _)| renamed(&path)).collect()
    }
}

fn identity(path: &Path) -> Option<Identity> {
    let metadata = fs::symlink_metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Gives a file or folder a name that no program looks for, and returns it. If even that fails, it
/// returns the old name.
fn renamed(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let free = (1..=MOST).map(|number| path.with_file_name(format!("{name}.set-aside-{number}")));
    let to = free.into_iter().find(|to| identity(to).is_none())?;
    Some(if fs::rename(path, &to).is_ok() { to } else { path.to_owned() })
}

/// The number of names that are tried.
const MOST: u32 = 1000;
