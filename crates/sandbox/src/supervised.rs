//! Commands that a helper starts and ends: this program, started again.
//!
//! The program composes the settings of a command, and the supervisor, the first helper, lives
//! until the last process of the command is gone. The module of the system, `linux` or `macos`,
//! says what a helper does with the settings.

pub(crate) mod git_names;
mod granted_paths;
pub(crate) mod late_sockets;
pub(crate) mod name_index;
pub(crate) mod own_helper;
mod read_only_settings;
mod repository_access;
mod secret_access;
pub(crate) mod secret_files;
pub(crate) mod settings;
pub(crate) mod socket_access;
mod spawn;
mod supervised_tree;
mod trial;
mod trial_memory;

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

pub(crate) use self::supervised_tree::{SupervisedEnd as TreeEnd, SupervisedGuard as TreeGuard};
use crate::command::ConfinedCommand;
use crate::error::Error;
use crate::process::ConfinedProcess;
use crate::sandbox::Sandbox;
use crate::system::NetworkState;

/// The state that a sandbox keeps between commands.
#[derive(Debug, Default)]
pub(crate) struct SystemState {
    /// Whether the layers are tried before the first command.
    is_untried: Mutex<bool>,
    /// Whether the latest search for secrets was cut; `None` before the first one.
    secret_look: Mutex<Option<bool>>,
    /// Whether the repository has too many files around the root to find all secrets.
    has_wide_surroundings: AtomicBool,
    /// The system's data about the network of commands.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing is known there"))]
    pub(crate) network: NetworkState,
}

/// Chooses the best layers that work here.
pub(crate) fn choose_layers(sandbox: &mut Sandbox) -> Result<(), Error> {
    sandbox.choose_layers()
}

/// Starts a command with all walls but those that have doors for it.
pub(crate) fn spawn_confined(
    sandbox: &Sandbox,
    command: &ConfinedCommand,
) -> Result<ConfinedProcess, Error> {
    sandbox.spawn_confined(command)
}

/// Starts a command without walls.
pub(crate) fn spawn_outside(
    sandbox: &Sandbox,
    command: &ConfinedCommand,
) -> Result<ConfinedProcess, Error> {
    sandbox.spawn_outside(command)
}

/// Returns whether the latest look could not find or hide all secrets.
pub(crate) fn is_partly_hidden(sandbox: &Sandbox) -> bool {
    sandbox.is_partly_hidden()
}

/// Returns the id of this process.
pub(crate) fn own_id() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// The name of a helper: its argument 0.
pub(crate) const HELPER: &str = "silcrow-sandbox";
/// The argument of the supervisor.
pub(crate) const SUPERVISE: &str = "supervise";
