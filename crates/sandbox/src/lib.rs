//! Runs commands confined by the Linux kernel, and ends whole trees of processes.

mod command;
mod default_paths;
mod environment;
mod error;
mod hardening;
mod helper;
mod level;
mod limits;
mod options;
mod process;
mod sandbox;
mod settings;
mod temp_folder;

pub use crate::command::ConfinedCommand;
pub use crate::error::{Error, ErrorKind};
pub use crate::hardening::harden_this_process;
pub use crate::helper::run_helper_if_asked;
pub use crate::level::{SandboxLayers, SandboxLevel};
pub use crate::limits::ResourceLimits;
pub use crate::options::SandboxOptions;
pub use crate::process::{ConfinedProcess, ProcessEnd, ProcessGuard, ProcessOutcome};
pub use crate::sandbox::Sandbox;
