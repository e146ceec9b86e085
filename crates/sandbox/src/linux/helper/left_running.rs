//! Processes that a command leaves running when it has ended: servers, and everything else started
//! with `&`.
//!
//! Some processes end right after the command, such as the `tee` of a process substitution, which
//! reads the end of its input only then. So this module waits for the end of each process for a
//! grace period; a process that runs longer was left. If nothing runs, it does not wait.

use std::fs;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::chain::poll_again;
use super::tree::beneath;

/// The processes that a command left running.
#[derive(Debug, Default)]
pub(super) struct LeftRunning {
    pub(super) number: usize,
    /// The name of the first of them.
    pub(super) name: Option<String>,
}

/// Returns the processes beneath the keeper, except those that end within the grace period.
pub(super) fn look(keeper: Pid) -> LeftRunning {
    let deadline = Instant::now() + GRACE;
    loop {
        let mut left = beneath(keeper);
        left.retain(|process| is_running(*process));
        let time = deadline.saturating_duration_since(Instant::now());
        if left.is_empty() || time.is_zero() || !wait_for_any(&left, time) {
            return LeftRunning { number: left.len(), name: left.first().and_then(name) };
        }
    }
}

/// Waits until one of the processes has ended, for a while. Returns whether to look again.
fn wait_for_any(processes: &[Pid], time: Duration) -> bool {
    let Ok(time) = Timespec::try_from(time) else { return false };
    let first = processes.iter().take(MOST_WATCHED);
    // One that cannot be opened has ended.
    let opened = first.map(|process| pidfd_open(*process, PidfdFlags::empty()));
    let Ok(opened) = opened.collect::<Result<Vec<_>, _>>() else {
        // This also happens on a kernel without such descriptors, where nothing reports an end.
        std::thread::yield_now();
        return true;
    };
    let mut ends: Vec<_> = opened.iter().map(|one| PollFd::new(one, PollFlags::IN)).collect();
    poll_again(&mut ends, Some(&time)).is_ok()
}

/// Returns whether a process has not ended. A zombie has ended.
fn is_running(process: Pid) -> bool {
    let stat = fs::read(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
    // The state follows the name, which may have any bytes, also parentheses.
    let state = stat.iter().rposition(|byte| *byte == b')').and_then(|at| stat.get(at + 2));
    state.is_some_and(|state| !matches!(state, b'Z' | b'X' | b'x'))
}

fn name(process: &Pid) -> Option<String> {
    let name = fs::read(format!("/proc/{}/comm", process.as_raw_nonzero())).ok()?;
    Some(String::from_utf8_lossy(name.trim_ascii_end()).into_owned())
}

/// The grace period for processes that end after the command.
const GRACE: Duration = Duration::from_millis(300);

/// The number of processes that are watched at once.
const MOST_WATCHED: usize = 64;
