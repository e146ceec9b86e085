//! Commands that are killed before or after one of their calls of the system.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::chance::Chance;
use crate::recorder::{Record, Recorder};
use crate::support::Sandbox;

/// Kills a process at its n-th call that opens or changes a file of the store.
pub(crate) struct Killer<'a> {
    sandbox: &'a Sandbox,
    recorder: Recorder,
}

/// When a process is killed: before its call, or when the call is done.
pub(crate) const MOMENTS: [&str; 2] = ["before", "after"];

impl<'a> Killer<'a> {
    pub(crate) fn new(sandbox: &'a Sandbox) -> Self {
        Self { sandbox, recorder: Recorder::new() }
    }

    /// Runs the command and kills it before or after this call, from 1. Returns whether it ended well
    /// before it made so many.
    pub(crate) fn ends_by_itself(&self, args: &[&str], moment: &str, at: u64) -> bool {
        let mut command = self.sandbox.command(args);
        let folder = self.sandbox.path("data/silcrow");
        self.recorder.watch(&mut command, &folder);
        self.recorder.at_call(&mut command, at, moment);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().unwrap();
        let records = self.recorder.take(&folder);
        let is_killed = records.iter().any(|record| matches!(record, Record::Reached(_)));
        assert!(status.success() || is_killed, "{args:?}: {status}");
        !is_killed
    }
}

/// Returns the calls, from 1, at which something happens: all of them, or, by default, one of so
/// many.
pub(crate) fn calls(usual_step: u64) -> impl Iterator<Item = u64> {
    let step = number("SILCROW_CALL_STEP", usual_step);
    (1 + chance().below(step)..).step_by(usize::try_from(step).unwrap())
}

/// Returns the random choices of a campaign.
pub(crate) fn chance() -> Chance {
    Chance::new(silcrow_testkit::run_seed())
}

/// Prints a line about the trials, for the table of `cargo lab campaign`.
pub(crate) fn say(tried: &str) {
    std::io::stdout().write_all(format!("@ tried {tried}\n").as_bytes()).unwrap();
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |number| number.parse().unwrap())
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}
