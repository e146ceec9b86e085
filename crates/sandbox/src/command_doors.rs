//! The doors that a caller opens in the walls around one command.

use std::path::PathBuf;

/// The access of one command beyond its sandbox's access for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandDoors {
    pub(crate) git: bool,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) has_open_network: bool,
    /// The ports of this machine that it may connect to.
    pub(crate) local_ports: Vec<u16>,
    /// The ports of this machine that it may listen at.
    pub(crate) served_ports: Vec<u16>,
    pub(crate) is_outside: bool,
}

impl CommandDoors {
    /// Returns whether the command opens files that its sandbox does not open for all.
    pub(crate) fn opens_files(&self) -> bool {
        self.git || !self.readable.is_empty() || !self.writable.is_empty()
    }
}
