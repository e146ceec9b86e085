//! macOS: Seatbelt, the sandbox of the system, which `sandbox-exec` applies to a command.
//!
//! The supervisor is the only helper. It makes a profile of the settings, starts the command under
//! it in a group of processes, and ends that group. This was never run on a Mac: everything that
//! can be computed is tested on Linux, and a trial at the start decides whether the confinement
//! counts.

mod names;
mod profile;
mod supervisor;
mod trial;

#[cfg(target_os = "macos")]
mod interface;
#[cfg(target_os = "macos")]
mod system_paths;

#[cfg(target_os = "macos")]
pub(crate) use self::interface::{
    CHOICES, NoNetworkState as NetworkState, cover_sockets, first_stage, harden, named_sockets,
    namespaces, network, own_program, reaches_new_sockets, run_helper_if_asked, send_namespaces,
};
#[cfg(target_os = "macos")]
pub(crate) use self::system_paths::{HOME, HOME_SECRETS, SYSTEM, SYSTEM_SECRETS};

#[cfg(test)]
mod tests;
