//! The tree of processes beneath a helper: to find it, and to end it.
//!
//! The supervisor adopts orphans, so every process that a command starts stays beneath it, whatever
//! session or group it moves to. With namespaces the kernel itself ends all of them together with
//! the keeper.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};

/// Checks that the kernel lists the children of a process, without which a tree cannot be ended.
pub(super) fn check() -> Result<(), String> {
    let own = getpid().as_raw_nonzero();
    fs::read(format!("/proc/{own}/task/{own}/children"))
        .map(drop)
        .map_err(|error| format!("the kernel does not list the children of a process: {error}"))
}

/// Sends a signal to all processes beneath this one, except the keeper.
pub(super) fn signal_all_beneath(keeper: Pid, signal: Signal) {
    for process in beneath(keeper) {
        let _ = kill_process(process, signal);
    }
}

/// Kills everything beneath this process, and returns the number of processes that did not end.
pub(super) fn end(keeper: Pid, is_namespaced: bool) -> usize {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = if is_namespaced { vec![keeper] } else { beneath(getpid()) };
        for process in &left {
            // Some may have ended meanwhile.
            let _ = kill_process(*process, Signal::KILL);
        }
        if reap() {
            return 0;
        }
        if Instant::now() > deadline {
            return left.len();
        }
        // A process needs a moment to die. Those that it started meanwhile are found next.
        thread::sleep(PAUSE);
    }
}

/// Reaps the children that have ended, and returns whether none is left.
fn reap() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Returns the processes beneath one that are visible at this moment.
pub(super) fn beneath(process: Pid) -> Vec<Pid> {
    let mut found = children(process);
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        found.extend(children(process));
        next += 1;
    }
    found
}

/// Returns the children of all threads of a process.
fn children(process: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero()));
    let lists = threads
        .into_iter()
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok());
    lists.flat_map(|list| list.split(' ').filter_map(pid).collect::<Vec<_>>()).collect()
}

fn pid(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok()?)
}

/// The time after which a killed process counts as stuck in the kernel.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between two looks at the tree.
const PAUSE: Duration = Duration::from_micros(500);
