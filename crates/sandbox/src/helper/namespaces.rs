//! Namespaces of processes, networks and shared memory for what the supervisor starts.
//!
//! Root creates them as it is. Other users first need a namespace of users, in which they keep their
//! own number. The keeper adds the namespace of mounts.

use std::fs;
use std::io;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

/// Puts the next processes that this one starts into namespaces of their own.
pub(super) fn enter() -> io::Result<()> {
    let mut flags = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNET | CloneFlags::CLONE_NEWIPC;
    let is_admin = capabilities(None)?.effective.contains(CapabilitySet::SYS_ADMIN);
    if !is_admin {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare(flags)?;
    if !is_admin {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        keep_for_keeper()?;
    }
    Ok(())
}

/// Passes on to the keeper what it needs to mount, although it is not root.
fn keep_for_keeper() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable = NEEDED;
    set_capabilities(None, sets)?;
    for capability in NEEDED.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// What mounting and giving up capabilities need.
const NEEDED: CapabilitySet = CapabilitySet::SYS_ADMIN.union(CapabilitySet::SETPCAP);
