//! The shell that reads a command line.

use std::path::Path;

/// The shell of this system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandShell {
    /// A shell of Unix, by its path.
    Unix(&'static str),
    /// The command interpreter of Windows.
    Windows,
}

impl CommandShell {
    /// Returns bash if it is there, and otherwise the shell that every system has.
    pub(crate) fn of_this_system() -> Self {
        match () {
            () if cfg!(windows) => Self::Windows,
            () if Path::new(BASH).exists() => Self::Unix(BASH),
            () => Self::Unix("/bin/sh"),
        }
    }

    /// Returns the words that run a command line.
    pub(crate) fn words(self, line: &str) -> [&str; 3] {
        match self {
            Self::Unix(program) => [program, "-c", line],
            Self::Windows => ["cmd.exe", "/C", line],
        }
    }
}

const BASH: &str = "/bin/bash";
