//! Commands for which one call of the system is the last one, or fails: one after the other, each
//! call of each command.

use std::collections::BTreeSet;
use std::process::Stdio;

use silcrow_event::error_chain;
use silcrow_store_log::{LogStore, Options};

use crate::calls::check_message;
use crate::chance::Chance;
use crate::commands::{COMMANDS, Task, open, perform, state};
use crate::files::{copy, snapshot};
use crate::process::{command, rounds, said, say, say_tried, store};
use crate::recorder::{Record, Recorder};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_killed_at_any_call_loses_nothing() {
    let tried = at_every_call(Calls::Changes, &["before", "after"], 16).await;
    assert!(tried.killed >= 6, "{tried:?}");
}

/// Once, or from then on, as a disk fails that is broken (EIO) or full (ENOSPC), or as a process that
/// has as many files open as it may (EMFILE).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_with_failed_change_loses_nothing() {
    let tried = at_every_call(Calls::Changes, &["5", "24", "28", "5+", "28+"], 40).await;
    assert!(tried.failed >= 3 && tried.killed == 0, "{tried:?}");
}

/// Once, or from then on, like a broken disk (EIO). Unreadable data is neither the end of the log
/// nor damage.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_that_cannot_read_loses_nothing() {
    let tried = at_every_call(Calls::Reads, &["5", "5+"], 80).await;
    assert!(tried.failed >= 3 && tried.killed == 0, "{tried:?}");
}

/// Before each group a process asks whether the lock and the mark are still in place. These calls are
/// among those that fail.
#[tokio::test]
async fn calls_include_checks_before_a_group() {
    let (recorder, task) = (Recorder::new(), Task::new("append").await);
    let mut reached = BTreeSet::new();
    for call in 1.. {
        let folder = copy(task.model.path());
        let mut child = command("every_call::run", folder.path());
        recorder.watch(&mut child, folder.path());
        recorder.at_call(&mut child, call, "");
        recorder.count_reads(&mut child);
        assert!(child.env(NAME, task.name).status().unwrap().success());
        let records = recorder.take(folder.path());
        let name = records.into_iter().find_map(|record| match record {
            Record::Reached(name) => Some(name),
            _ => None,
        });
        let Some(name) = name else { break };
        reached.insert(name);
    }
    for wanted in ["identify LOCK", "identify MARK"] {
        assert!(reached.contains(wanted), "{wanted}: {reached:?}");
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Calls {
    /// Those that open or change a file.
    Changes,
    /// Those that open, read, look, list or lock.
    Reads,
}

#[derive(Debug, Default)]
struct Tried {
    calls: u64,
    killed: u64,
    /// Processes to which the store returned an error.
    failed: u64,
}

/// Tries each of `fates` at every call of each command, or at one call in this many.
async fn at_every_call(calls: Calls, fates: &[&str], usual_step: u64) -> Tried {
    let recorder = Recorder::new();
    let mut chance = Chance::new(silcrow_testkit::run_seed());
    let step = rounds("SILCROW_CALL_STEP", usual_step);
    let mut tried = Tried::default();
    for name in COMMANDS {
        let task = Task::new(name).await;
        for fate in fates {
            let mut call = 1 + chance.below(step);
            while at_call(&recorder, &task, calls, fate, call, &mut tried).await {
                call += step;
            }
        }
    }
    say_tried(&format!("{tried:?}"));
    tried
}

/// Tries a fate at one call. Returns whether the command makes that many.
async fn at_call(
    recorder: &Recorder,
    task: &Task,
    calls: Calls,
    fate: &str,
    call: u64,
    tried: &mut Tried,
) -> bool {
    let folder = copy(task.model.path());
    // Another process has the store open all the time.
    let beside = open(folder.path()).await;
    let before = snapshot(folder.path());
    let mut child = command("every_call::run", folder.path());
    recorder.watch(&mut child, folder.path());
    recorder.at_call(&mut child, call, fate);
    if calls == Calls::Reads {
        recorder.count_reads(&mut child);
    }
    let output = child.env(NAME, task.name).stderr(Stdio::piped()).output().unwrap();
    let records = recorder.take(folder.path());
    let reached = records.iter().find_map(|record| match record {
        Record::Reached(name) => Some(&**name),
        _ => None,
    });
    let what = format!("{}: {fate} at call {call}, {}", task.name, reached.unwrap_or("none"));
    let told = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!errors.contains("panicked"), "{what}: {told}{errors}");
    let lines: Vec<_> = told.lines().filter_map(said).collect();
    let is_done = lines.contains(&"done");
    let failed: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("error ")).collect();
    failed.iter().for_each(|error| check_message(error, &what));
    if ["before", "after"].contains(&fate) {
        assert_eq!(output.status.success(), reached.is_none(), "{what}: {told}");
    } else {
        assert!(output.status.success(), "{what}: {told}{errors}");
        assert!(is_done || fate.ends_with('+'), "{what}: one call failed: {told}");
    }
    for there in [&beside, &open(folder.path()).await] {
        task.check(&state(there).await.unwrap(), is_done, &what);
    }
    if ["export", "read"].contains(&task.name) {
        assert!(snapshot(folder.path()) == before, "{what}: something was written");
    }
    perform(task.name, &beside).await.unwrap_or_else(|error| panic!("{what}: {error}"));
    for there in [&beside, &open(folder.path()).await] {
        assert_eq!(state(there).await.unwrap(), task.after, "{what}: repeated");
    }
    tried.calls += 1;
    tried.killed += u64::from(!output.status.success());
    tried.failed += u64::from(!failed.is_empty());
    reached.is_some()
}

/// The other process. After an error it tries again with the same store, and then with another.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn run() {
    let name = std::env::var(NAME).unwrap();
    let mut opened = None;
    for attempt in 0..3 {
        let tried = async {
            if opened.is_none() || attempt == 2 {
                opened = Some(LogStore::open(store(), Options::default()).await?);
            }
            perform(&name, opened.as_ref().expect("it was opened")).await
        };
        match tried.await {
            Ok(()) => return say("done"),
            Err(error) => say(&format!("error {:?} {}", error.kind(), error_chain(&error))),
        }
    }
}

pub(crate) const NAME: &str = "SILCROW_TEST_COMMAND";
