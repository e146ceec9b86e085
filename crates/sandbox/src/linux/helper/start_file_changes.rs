//! The results of looks at files that programs run automatically.

use std::path::PathBuf;

/// The changes of a command at paths with protected names since the last look.
#[derive(Default)]
pub(super) struct StartFileChanges {
    /// The new names of files that it made.
    pub(super) set_aside: Vec<PathBuf>,
    /// The changed paths that the kernel could not guard.
    pub(super) changed: Vec<PathBuf>,
    /// The changed paths that are as before again.
    pub(super) restored: Vec<PathBuf>,
    /// Whether some folders were not checked.
    pub(super) is_cut: bool,
}
