//! The helpers: this program, started again, to confine a command and to end it.
//!
//! Confinement is inherited by a process's children, cannot be removed, and must be applied by a
//! process with one thread. So it happens in two helpers of a chain:
//!
//! 1. The *supervisor* holds the socket of the program. It is not confined, and it lives until the
//!    last process of the command is gone.
//! 2. The *keeper* confines itself, starts the command, and reaps its orphans. With namespaces it
//!    is process 1 of a new process namespace.
//!
//! If there are files that programs run automatically, a third one is before them: the *watcher*,
//! which checks the command's changes of those, and is confined to the folders that it checks.
//!
//! Beside the chain there is the *holder*, one for each sandbox: it keeps the network that commands share.
//!
//! A helper reads its settings from its standard input, which is a socket. The watcher and the
//! supervisor get the descriptors of that network before.

mod capabilities;
mod chain;
mod descriptors;
mod file_attributes;
mod files;
mod git_guard;
mod held_folder;
mod holder;
mod keeper;
mod left_running;
mod loopback;
mod mounts;
mod namespaces;
mod resources;
mod self_test;
mod set_aside;
mod shared_state;
mod sockets;
mod start_file_changes;
mod start_files;
mod supervisor;
mod syscalls;
mod tree;
mod watcher;

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::{env, process};

use crate::linux::descriptor_passing;
use crate::supervised::{HELPER, SUPERVISE, own_helper};

/// Does the work of a helper, and ends the process, if this process was started as one.
pub(crate) fn run_if_asked() {
    let mut args = env::args_os();
    if args.next().is_none_or(|name| name != HELPER) {
        return own_helper::note_asked();
    }
    let stage = args.next().unwrap_or_default();
    descriptors::close_inherited();
    let result = match stage.to_str() {
        Some(WATCH) => watcher::run(),
        Some(SUPERVISE) => supervisor::run(),
        Some(KEEP) => keeper::run(),
        Some(HOLD) => holder::run(),
        _ => Err(io::Error::from(io::ErrorKind::InvalidInput)),
    };
    process::exit(if result.is_ok() { 0 } else { 1 });
}

pub(crate) use start_files::is_asked_for as is_watching_asked_for;

/// Receives the namespaces of the network that the command shares with others, which are none if it has
/// its own.
fn receive_namespaces(program: &UnixStream) -> io::Result<Option<Vec<OwnedFd>>> {
    Ok(descriptor_passing::receive(program)?.map(|(_, passed)| passed))
}

/// Passes the namespaces on to the next helper.
pub(crate) fn send_namespaces(helper: &UnixStream, passed: &[BorrowedFd<'_>]) -> io::Result<()> {
    descriptor_passing::send(helper, 0, passed)
}

/// Returns the socket that is the standard input of a helper.
fn socket() -> io::Result<UnixStream> {
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// The argument of the watcher.
pub(crate) const WATCH: &str = "watch";
/// The argument of the holder.
pub(crate) const HOLD: &str = "hold";
/// The argument of the keeper.
const KEEP: &str = "keep";
