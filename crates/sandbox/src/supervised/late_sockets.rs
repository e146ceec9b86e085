//! Local sockets that programs outside make while a command runs, in folders that it sees.
//!
//! Existing sockets are covered before a command starts, and new ones are reported after it. The
//! module of the system finds and covers them.

use std::path::PathBuf;

use crate::system;

/// The known sockets at the start of a command that could reach new ones.
#[derive(Debug, Default)]
pub(crate) struct LateSockets {
    /// The paths that the command sees.
    pub(crate) shown: Vec<PathBuf>,
    /// The sockets that it cannot reach, because they were there before it.
    pub(crate) covered: Vec<PathBuf>,
}

impl LateSockets {
    /// Returns the sockets of programs outside that are new. One that was made and removed
    /// meanwhile is missing, and so is one that is no longer at its path.
    pub(crate) fn appeared(&self) -> Vec<PathBuf> {
        if self.shown.is_empty() {
            return Vec::new();
        }
        let is_new = |path: &PathBuf| {
            self.shown.iter().any(|above| path.starts_with(above)) && !self.covered.contains(path)
        };
        system::named_sockets().into_iter().filter(is_new).collect()
    }
}
