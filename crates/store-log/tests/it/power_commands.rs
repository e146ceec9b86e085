//! Commands during which the machine loses its power.

use std::path::Path;
use std::process::Stdio;

use crate::chance::Chance;
use crate::commands::{COMMANDS, Task, open, perform, state};
use crate::disk::{Cut, Disk};
use crate::every_call::NAME;
use crate::files::copy;
use crate::process::{command, rounds, said, say_tried};
use crate::recorder::{Record, Recorder};

/// Old data is there, a command's effects are there whole or not at all, and the command can be
/// repeated.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn power_cut_during_a_command_loses_nothing() {
    let recorder = Recorder::new();
    let step = rounds("SILCROW_CALL_STEP", 15);
    let mut chance = Chance::new(silcrow_testkit::run_seed());
    let mut cuts = 0;
    for name in COMMANDS {
        let task = Task::new(name).await;
        let folder = copy(task.model.path());
        // The model's mark was written in this run of the machine, in which the checks run as well.
        run(&recorder, folder.path(), "recover", 1);
        let mut disk = Disk::read(folder.path());
        run(&recorder, folder.path(), name, 2);
        let records = recorder.take(folder.path());
        let first = chance.below(step);
        let mut is_done = false;
        for (record, moment) in records.iter().zip(0..) {
            disk.apply(record);
            is_done |= matches!(record, Record::Said(words) if words.lines().any(is_end));
            if moment % step != first {
                continue;
            }
            for cut in [Cut::Lost, Cut::Torn] {
                chance.below(2);
                let left = tempfile::tempdir().unwrap();
                disk.cut(left.path(), cut, &chance);
                let what = format!("{name}: {cut:?} after {moment}, {record:?}");
                task.check(&state(&open(left.path()).await).await.unwrap(), is_done, &what);
                let store = open(left.path()).await;
                perform(name, &store).await.unwrap_or_else(|error| panic!("{what}: {error}"));
                for there in [&store, &open(left.path()).await] {
                    assert_eq!(state(there).await.unwrap(), task.after, "{what}: repeated");
                }
                cuts += 1;
            }
        }
        assert!(is_done && disk.is(folder.path()), "{name}: the record has a gap");
    }
    say_tried(&format!("{cuts} cuts"));
    assert!(cuts > 20, "{cuts}");
}

/// Runs a command in the run of the machine of this number, and records its operations.
fn run(recorder: &Recorder, folder: &Path, name: &str, boot: u64) {
    let mut child = command("every_call::run", folder);
    let _ = recorder.take(folder);
    recorder.watch(&mut child, folder);
    recorder.boot(&mut child, boot);
    let status = child.env(NAME, name).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{name}");
}

fn is_end(line: &str) -> bool {
    said(line) == Some("done")
}
