//! Trees of processes: whatever they do, none of them is left.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use silcrow_sandbox::{ConfinedCommand, ProcessOutcome, Sandbox};

use super::{Place, parent, processes_with, run};

/// Five ways to survive the end of the command, and their combination. `$N` is the number of
/// seconds that they sleep, which identifies them, and descriptor 9 is a pipe that they hold.
pub(crate) const TREES: &[(&str, &str)] = &[
    ("setsid", "setsid sleep $N & echo ready >&9; sleep $N"),
    (
        "double fork",
        "( ( setsid sleep $N </dev/null >/dev/null 2>&1 & ) & ); echo ready >&9; sleep $N",
    ),
    ("nohup", "nohup sleep $N >/dev/null 2>&1 & echo ready >&9; sleep $N"),
    ("ignores TERM", "trap '' TERM HUP INT; sleep $N & echo ready >&9; while :; do sleep $N; done"),
    (
        "forks in a loop",
        "echo ready >&9; while :; do sleep $N & setsid sleep $N & sleep 0.01; done",
    ),
    (
        "all of them",
        "trap '' TERM; (trap '' TERM; setsid nohup sh -c 'sleep '$N' & sleep '$N >/dev/null 2>&1 &) & \
         echo ready >&9; while :; do (setsid sleep $N &) ; sleep 0.01; done",
    ),
];

/// A pipe that all processes of a tree hold: it ends with the last of them.
pub(crate) struct Tether {
    path: PathBuf,
    number: u64,
}

impl Tether {
    pub(crate) fn new(place: &Place) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = place.path().join(format!("fifo-{number}"));
        mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        // They sleep for about a year, so that no other process sleeps as long.
        Self { path, number: 31_000_000_000 + u64::from(std::process::id()) * 1000 + number }
    }

    /// Returns a script that holds the pipe.
    pub(crate) fn script(&self, tree: &str) -> String {
        format!("N={}; exec 9>{}; {tree}", self.number, self.path.display())
    }

    /// Waits until the tree has begun.
    pub(crate) fn ready(&self) -> BufReader<File> {
        let mut pipe = BufReader::new(File::open(&self.path).unwrap());
        let mut line = String::new();
        pipe.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        pipe
    }

    /// Returns the shell that runs the script, the ancestor of all others.
    pub(crate) fn first_process(&self) -> i32 {
        let found = processes_with(&format!("N={}", self.number));
        let ids = found.iter().map(|line| line["/proc/".len()..].split(' ').next().unwrap());
        let ids: Vec<i32> = ids.map(|id| id.parse().unwrap()).collect();
        *ids.iter().find(|id| !ids.contains(&parent(**id))).unwrap()
    }

    /// Waits until no process holds the pipe, and checks that none is left.
    pub(crate) fn check(&self, mut pipe: BufReader<File>, tree: &str) {
        pipe.read_to_end(&mut Vec::new()).unwrap();
        let left = processes_with(&self.number.to_string());
        assert_eq!(left, Vec::<String>::new(), "{tree}");
    }
}

fn start(sandbox: &Sandbox, script: &str) -> silcrow_sandbox::ConfinedProcess {
    sandbox.spawn(&ConfinedCommand::shell(script).with_grace(GRACE)).unwrap()
}

#[test]
fn stopping_leaves_nothing() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        for (name, tree) in TREES {
            let tether = Tether::new(&place);
            let process = start(&sandbox, &tether.script(tree));
            let pipe = tether.ready();
            process.guard.stop();
            let outcome = process.end.wait().unwrap();
            assert_eq!((outcome.code, outcome.survivors), (None, 0), "{name}");
            assert!(outcome.signal.is_some(), "{name}");
            tether.check(pipe, name);
        }
    }
}

#[test]
fn dropping_leaves_nothing() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        for (name, tree) in TREES {
            let tether = Tether::new(&place);
            let process = start(&sandbox, &tether.script(tree));
            let pipe = tether.ready();
            drop(process);
            tether.check(pipe, name);
        }
    }
}

#[test]
fn command_end_ends_its_process_tree() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        for (name, tree) in TREES {
            let tether = Tether::new(&place);
            let script = tether.script(&format!("({tree}) & exit 5"));
            let process = start(&sandbox, &script);
            let pipe = BufReader::new(File::open(&tether.path).unwrap());
            let outcome = process.end.wait().unwrap();
            assert_eq!((outcome.code, outcome.survivors), (Some(5), 0), "{name}");
            tether.check(pipe, name);
        }
    }
}

#[test]
fn without_walls_trees_end_as_well() {
    let place = Place::new();
    let sandbox = Sandbox::unconfined(place.options()).unwrap();
    for (name, tree) in TREES {
        let tether = Tether::new(&place);
        let process = start(&sandbox, &tether.script(tree));
        let pipe = tether.ready();
        drop(process);
        tether.check(pipe, name);
    }
}

#[test]
fn terminated_command_may_exit_within_grace() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let tether = Tether::new(&place);
        let script = tether.script(
            "trap 'echo cleaned > note; exit 7' TERM; echo ready >&9; while :; do sleep 0.01; done",
        );
        // The grace period is so long that it never ends the test.
        let command =
            ConfinedCommand::shell(script).with_grace(std::time::Duration::from_secs(600));
        let process = sandbox.spawn(&command).unwrap();
        let pipe = tether.ready();
        process.guard.stop();
        assert_eq!(process.end.wait().unwrap(), expected(7));
        tether.check(pipe, "obedient");
        assert_eq!(run(&sandbox, "cat note; rm note").stdout, "cleaned\n");
    }
}

fn expected(code: i32) -> ProcessOutcome {
    let mut outcome = ProcessOutcome::default();
    outcome.code = Some(code);
    outcome
}

/// Some trees ignore TERM, and KILL need not come late in a test.
const GRACE: std::time::Duration = std::time::Duration::from_millis(50);

static NEXT: AtomicU64 = AtomicU64::new(0);
