//! The module of this system, under one set of names.
//!
//! Only this file distinguishes systems. The rest of the crate calls it, and callers ask a
//! [`Sandbox`](crate::Sandbox) for its abilities.

#[cfg(target_os = "linux")]
pub(crate) use crate::linux::{
    CHOICES, HOME, HOME_SECRETS, InnerNetwork, NetworkState, SYSTEM, SYSTEM_SECRETS, cover_sockets,
    first_stage, harden, named_sockets, namespaces, network, own_program, reaches_new_sockets,
    run_helper_if_asked, send_namespaces,
};
#[cfg(target_os = "macos")]
pub(crate) use crate::macos::{
    CHOICES, HOME, HOME_SECRETS, NetworkState, SYSTEM, SYSTEM_SECRETS, cover_sockets, first_stage,
    harden, named_sockets, namespaces, network, own_program, reaches_new_sockets,
    run_helper_if_asked, send_namespaces,
};
#[cfg(not(target_os = "linux"))]
pub(crate) use crate::no_network::NoNetwork as InnerNetwork;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) use crate::other::{
    HOME, HOME_SECRETS, NoSystemState as SystemState, SYSTEM, SYSTEM_SECRETS,
    StartedEnd as TreeEnd, StartedGuard as TreeGuard, choose_layers, harden, is_partly_hidden,
    network, own_program, reaches_new_sockets, run_helper_if_asked, spawn_confined, spawn_outside,
};
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) use crate::supervised::{
    SystemState, TreeEnd, TreeGuard, choose_layers, is_partly_hidden, own_id, spawn_confined,
    spawn_outside,
};
