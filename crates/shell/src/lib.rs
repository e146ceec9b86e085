//! The tool `shell`, which runs commands in a sandbox.

mod arguments;
mod background;
mod hints;
mod output;
mod processes;
mod report;
mod running;
mod shell;

pub use silcrow_sandbox::{Error, ErrorKind, Sandbox, SandboxLevel, SandboxOptions};

pub use crate::processes::ShellProcesses;
pub use crate::shell::Shell;
