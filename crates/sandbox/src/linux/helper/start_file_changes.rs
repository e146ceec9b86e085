//! What looks at files that programs run by themselves have found.

use std::path::PathBuf;

/// What a command did to paths with protected names since the last look.
#[derive(Default)]
pub(super) struct StartFileChanges {
    /// The new names of what it made.
    pub(super) set_aside: Vec<PathBuf>,
    /// What it changed and the kernel could not guard.
    pub(super) changed: Vec<PathBuf>,
    /// What it changed and is as before again.
    pub(super) restored: Vec<PathBuf>,
    /// Whether some folders were not looked at.
    pub(super) is_cut: bool,
}
