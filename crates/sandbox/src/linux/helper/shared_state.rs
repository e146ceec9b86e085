//! System calls by which a command without namespaces would affect resources that it shares with
//! other processes.
//!
//! With namespaces none of this is shared, or it is out of reach.

use std::error::Error;

use nix::libc;
use rustix::process::{getegid, geteuid};
use seccompiler::{SeccompCmpArgLen as Width, SeccompCmpOp as Is, SeccompCondition, SeccompRule};

/// Rules for calls, by their numbers.
type CallRules = Result<Vec<(i64, Vec<SeccompRule>)>, Box<dyn Error>>;

/// Calls that are denied with any arguments: memory, messages and semaphores that the kernel names for
/// all processes.
pub(super) const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_process_mrelease,
];

/// Returns the rules for calls that are allowed only for the calling process, which is number 0:
/// priorities, processors and places in memory.
pub(super) fn about_others() -> CallRules {
    let is_not = |argument, value| -> Result<SeccompRule, Box<dyn Error>> {
        let is = SeccompCondition::new(argument, Width::Dword, Is::Ne, value)?;
        Ok(SeccompRule::new(vec![is])?)
    };
    let mut rules = Vec::new();
    for call in OF_A_PROCESS {
        rules.push((*call, vec![is_not(0, 0)?]));
    }
    // The first argument says whether the second one is a process, a group or a user.
    rules.push((libc::SYS_setpriority, vec![is_not(0, 0)?, is_not(1, 0)?]));
    rules.push((libc::SYS_ioprio_set, vec![is_not(0, IOPRIO_WHO_PROCESS)?, is_not(1, 0)?]));
    Ok(rules)
}

/// Returns the rules that keep a process from giving a file to another user or group, as root could
/// do anywhere.
pub(super) fn owners() -> CallRules {
    let other = |argument, own: u32| -> Result<SeccompRule, Box<dyn Error>> {
        let is_not =
            |value: u32| SeccompCondition::new(argument, Width::Dword, Is::Ne, u64::from(value));
        // The highest number stands for no change.
        Ok(SeccompRule::new(vec![is_not(own)?, is_not(u32::MAX)?])?)
    };
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let calls = [
        (libc::SYS_fchown, 1),
        (libc::SYS_fchownat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chown, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_lchown, 1),
    ];
    calls
        .map(|(call, at)| Ok((call, vec![other(at, user)?, other(at + 1, group)?])))
        .into_iter()
        .collect()
}

/// Calls whose first argument is the number of a process.
const OF_A_PROCESS: &[i64] = &[
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

const IOPRIO_WHO_PROCESS: u64 = 1;
