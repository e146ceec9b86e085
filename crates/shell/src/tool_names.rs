//! The names of the tools.

/// The tool that runs commands.
pub(crate) const SHELL: &str = "shell";

/// The tool for commands in the background.
pub(crate) const PROCESSES: &str = "shell_processes";
