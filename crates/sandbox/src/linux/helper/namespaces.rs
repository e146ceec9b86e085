//! Namespaces of processes, networks and shared memory for the processes that the supervisor
//! starts.
//!
//! Root creates them directly. Other users first need a user namespace, where they keep their own
//! number. The keeper adds the namespace of mounts.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use nix::sched::{CloneFlags, setns, unshare};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::loopback;

/// The network of the processes that the supervisor starts.
pub(super) enum Network {
    /// An empty one that they alone have.
    Own,
    /// The one of these namespaces, which the holder made.
    Shared(Vec<OwnedFd>),
    /// One that is made to try out whether that works here.
    Tried,
}

/// Puts the next processes that this one starts into namespaces, which are new ones except for a network
/// that is shared.
pub(super) fn enter(network: Network) -> io::Result<()> {
    let mut flags = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC;
    let is_admin = is_admin()?;
    match network {
        Network::Own => flags |= CloneFlags::CLONE_NEWNET,
        // The user namespace comes first, because it gives the right to enter the other.
        Network::Shared(namespaces) => {
            namespaces.iter().try_for_each(|namespace| setns(namespace, CloneFlags::empty()))?;
        }
        Network::Tried => {
            make_network()?;
            loopback::raise()?;
        }
    }
    if is_admin {
        unshare(flags)?;
    } else {
        // Beneath the holder's, if that is shared, so that nothing here can change the network.
        unshare_with_users(flags)?;
        keep_for_keeper()?;
    }
    Ok(())
}

/// Puts this process into a new network, and returns whether that needed a namespace of users.
pub(super) fn make_network() -> io::Result<bool> {
    let is_admin = is_admin()?;
    if is_admin {
        unshare(CloneFlags::CLONE_NEWNET)?;
    } else {
        unshare_with_users(CloneFlags::CLONE_NEWNET)?;
    }
    Ok(!is_admin)
}

fn is_admin() -> io::Result<bool> {
    Ok(capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN))
}

fn unshare_with_users(flags: CloneFlags) -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(flags | CloneFlags::CLONE_NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Gives the keeper the privileges for mounting, although it is not root.
fn keep_for_keeper() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable = NEEDED;
    set_capabilities(None, sets)?;
    for capability in NEEDED.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// The capabilities for mounting and for giving up capabilities.
const NEEDED: CapabilitySet = CapabilitySet::SYS_ADMIN.union(CapabilitySet::SETPCAP);
