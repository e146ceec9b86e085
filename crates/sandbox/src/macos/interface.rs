//! The functions of macOS for the rest of the crate.

use std::convert::Infallible;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::{env, process};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::supervisor;
use crate::error::Error;
use crate::level::{SandboxLayers, SandboxLevel};
use crate::network::SharedNetwork;
use crate::sandbox::Sandbox;
use crate::supervised::late_sockets::LateSockets;
use crate::supervised::settings::HelperSettings;
use crate::supervised::{HELPER, SUPERVISE, own_helper};

/// The data about the network of commands, which is empty: they share none.
pub(crate) type NoNetworkState = Option<Infallible>;

/// The combinations of layers, the best first.
pub(crate) const CHOICES: &[SandboxLayers] = &[SandboxLayers::ALL];

/// Does the work of a supervisor, and ends the process, if this process was started as one.
pub(crate) fn run_helper_if_asked() {
    let mut args = env::args_os();
    if args.next().is_none_or(|name| name != HELPER) {
        return own_helper::note_asked();
    }
    let is_supervisor = args.next().is_some_and(|stage| stage == SUPERVISE);
    process::exit(if is_supervisor && supervisor::run().is_ok() { 0 } else { 1 });
}

/// Keeps the memory of this process out of core dumps.
pub(crate) fn harden() -> io::Result<()> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(())
}

/// Returns the program that is started as the helper: this one. If the system does not say which
/// program that is, no command starts.
pub(crate) fn own_program() -> PathBuf {
    env::current_exe().unwrap_or_default()
}

/// Returns the argument of the first helper of a command.
pub(crate) const fn first_stage(_: &HelperSettings) -> &'static str {
    SUPERVISE
}

/// Sends nothing: there are no namespaces.
pub(crate) const fn send_namespaces(_: &UnixStream, _: &[BorrowedFd<'_>]) -> io::Result<()> {
    Ok(())
}

/// Returns no network: commands reach ports of this machine that are opened for them.
pub(crate) const fn network(_: &Sandbox) -> Result<Option<Arc<SharedNetwork>>, Error> {
    Ok(None)
}

/// Returns no namespaces.
pub(crate) const fn namespaces(_: &SharedNetwork) -> Vec<BorrowedFd<'_>> {
    Vec::new()
}

/// Covers nothing: commands connect to no local socket.
pub(crate) fn cover_sockets(_: &Sandbox, _: &mut HelperSettings) -> LateSockets {
    LateSockets::default()
}

/// Returns no sockets: no command could connect to one.
pub(crate) const fn named_sockets() -> Vec<PathBuf> {
    Vec::new()
}

/// Returns whether a command at a level can connect to a local socket that is new.
pub(crate) const fn reaches_new_sockets(level: SandboxLevel) -> bool {
    !level.closes_network()
}
