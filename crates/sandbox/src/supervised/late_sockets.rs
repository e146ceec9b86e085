//! Local sockets that programs outside make while a command runs, in folders that it sees.
//!
//! The sockets that exist before a command are covered, and those that are new are named after it. Which
//! there are, and what covers them, the module of the system knows.

use std::path::PathBuf;

use crate::system;

/// What is known of sockets when a command starts that could reach new ones.
#[derive(Debug, Default)]
pub(crate) struct LateSockets {
    /// The paths that the command sees.
    pub(crate) shown: Vec<PathBuf>,
    /// The sockets that it cannot reach, because they were there before it.
    pub(crate) covered: Vec<PathBuf>,
}

impl LateSockets {
    /// Returns the sockets of programs outside that are there now and were not before. One that was made
    /// and removed meanwhile is not among them, nor one that is no longer where its name says.
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
