//! Linux: Landlock, a seccomp filter and namespaces, which helpers apply.

mod descriptor_passing;
mod hardening;
mod held_network;
mod helper;
mod late_sockets;
mod network_request;
mod outside_sockets;
mod socket_list;
mod system_paths;

use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use self::hardening::harden;
pub(crate) use self::held_network::HeldNetwork as InnerNetwork;
pub(crate) use self::helper::{run_if_asked as run_helper_if_asked, send_namespaces};
pub(crate) use self::late_sockets::reaches_new_sockets;
use self::outside_sockets::OutsideSockets;
pub(crate) use self::outside_sockets::named_sockets;
pub(crate) use self::system_paths::{HOME, HOME_SECRETS, SYSTEM, SYSTEM_SECRETS};
use crate::error::{Error, ErrorKind};
use crate::level::SandboxLayers;
use crate::network::SharedNetwork;
use crate::sandbox::Sandbox;
use crate::supervised::SUPERVISE;
use crate::supervised::late_sockets::LateSockets;
use crate::supervised::settings::HelperSettings;

/// The state of the commands' network and of sockets.
#[derive(Debug, Default)]
pub(crate) struct NetworkState {
    /// The network of commands, once one needed it.
    shared: Mutex<Option<Arc<SharedNetwork>>>,
    outside_sockets: Mutex<OutsideSockets>,
}

/// Returns the network that the commands of a sandbox share, which is made at its first use.
pub(crate) fn network(sandbox: &Sandbox) -> Result<Option<Arc<SharedNetwork>>, Error> {
    if !sandbox.layers().namespaces {
        return Ok(None);
    }
    let mut made = sandbox.state.network.shared.lock().unwrap_or_else(PoisonError::into_inner);
    if made.is_none() {
        let network = InnerNetwork::start(&sandbox.options.helper).map_err(|error| {
            let words = "the network that commands share cannot be made";
            Error::new(ErrorKind::Io, words).with_source(error)
        })?;
        *made = Some(Arc::new(SharedNetwork(network)));
    }
    Ok(made.clone())
}

/// Returns the namespaces that a command enters: users, if there is one, and the network.
pub(crate) fn namespaces(network: &SharedNetwork) -> Vec<BorrowedFd<'_>> {
    network.0.namespaces()
}

/// Covers the sockets of programs outside, and returns a detector of later ones.
pub(crate) fn cover_sockets(sandbox: &Sandbox, settings: &mut HelperSettings) -> LateSockets {
    let look = &sandbox.state.network.outside_sockets;
    LateSockets::cover(&mut look.lock().unwrap_or_else(PoisonError::into_inner), settings)
}

/// Returns the argument of the first helper of a command.
pub(crate) fn first_stage(settings: &HelperSettings) -> &'static str {
    if helper::is_watching_asked_for(settings) { helper::WATCH } else { SUPERVISE }
}

/// Returns the program that is started as the helper: this one.
pub(crate) fn own_program() -> PathBuf {
    "/proc/self/exe".into()
}

/// The combinations of layers, the best first.
pub(crate) const CHOICES: &[SandboxLayers] = &[
    SandboxLayers::ALL,
    SandboxLayers { namespaces: false, ..SandboxLayers::ALL },
    SandboxLayers { seccomp: false, ..SandboxLayers::ALL },
    SandboxLayers { landlock: true, ..SandboxLayers::NONE },
];
