//! The doors that a caller opens in the walls around one command.

use std::path::PathBuf;

use crate::command::ConfinedCommand;

/// What is open for a command beside what its sandbox opens for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandDoors {
    pub(crate) git: bool,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) has_open_network: bool,
    pub(crate) is_outside: bool,
}

impl CommandDoors {
    /// Returns whether the command opens files that its sandbox does not open for all.
    pub(crate) fn opens_files(&self) -> bool {
        self.git || !self.readable.is_empty() || !self.writable.is_empty()
    }
}

impl ConfinedCommand {
    /// Lets the command change the data of the repository that the root lies in: objects, branches, the
    /// index, notes, linked working trees. Hooks, settings, attributes and pointers to other git folders
    /// stay as they are; the crate's page says how. Without a repository it opens nothing.
    #[must_use]
    pub fn with_git(mut self) -> Self {
        self.doors.git = true;
        self
    }

    /// Lets the command read a file, or all beneath a folder, by its absolute path without links. What
    /// is hidden stays hidden. [`Sandbox::spawn`](crate::Sandbox::spawn) returns an error if the path
    /// does not exist, leads through a link, or is one that no command reads.
    #[must_use]
    pub fn with_readable(mut self, path: impl Into<PathBuf>) -> Self {
        self.doors.readable.push(path.into());
        self
    }

    /// Lets the command change a file, or all beneath a folder, like
    /// [`with_readable`](Self::with_readable). Protected paths and names stay protected there.
    #[must_use]
    pub fn with_writable(mut self, path: impl Into<PathBuf>) -> Self {
        self.doors.writable.push(path.into());
        self
    }

    /// Opens the whole network for the command where no namespaces confine it. Where they do, it opens
    /// nothing.
    #[must_use]
    pub fn with_open_network(mut self) -> Self {
        self.doors.has_open_network = true;
        self
    }

    /// Runs the command without walls: it can do what the user can do, and gets the whole environment
    /// except for variables whose names say that they are secret or that are settings of silcrow. The
    /// limits hold, and its tree of processes ends with it.
    #[must_use]
    pub fn outside(mut self) -> Self {
        self.doors.is_outside = true;
        self
    }
}
