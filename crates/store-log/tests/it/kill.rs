//! Processes that are killed at any moment while others write to the same store.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use silcrow_store_log::{Durability, LogStore, Options};

use crate::chance::Chance;
use crate::process::{command, rounds, said, say_tried, store};
use crate::work::{self, Told};

/// Data that was acknowledged before a kill is there after it; the rest is there whole or not at
/// all.
#[tokio::test]
async fn nothing_acknowledged_is_lost_to_a_kill() {
    let kills = rounds("SILCROW_KILLS", 40);
    let mut chance = Chance::new(silcrow_testkit::run_seed());
    let mut dir = tempfile::tempdir().unwrap();
    let told = Mutex::new(Told::default());
    let (mut killed, mut round, mut total) = (0, 0, 0);
    while killed < kills {
        // A store that was killed over and over, and again a new one.
        if round % 5 == 0 {
            dir = tempfile::tempdir().unwrap();
            *told.lock().unwrap() = Told::default();
        }
        thread::scope(|scope| {
            for process in 0..PROCESSES {
                // Every fourth while it opens the store, or makes it.
                let after = if chance.below(4) == 0 { 0 } else { chance.below(150) };
                let (dir, told) = (dir.path(), &told);
                scope.spawn(move || kill_after(dir, process, after, told));
            }
        });
        killed += PROCESSES;
        round += 1;
        let told = told.lock().unwrap().clone();
        total += work::check(dir.path(), &told).await;
    }
    say_tried(&format!("{killed} kills, {total} events verified"));
    assert!(total / killed > 20, "{total} events after {killed} kills: the processes hardly ran");
}

/// Kills a process that has printed this many lines.
fn kill_after(dir: &Path, process: u64, after: u64, told: &Mutex<Told>) {
    let mut child = command("kill::append", dir).env(PROCESS, process.to_string()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut count = 0;
    while count < after {
        let line = lines.next().expect("it writes until it is killed");
        count += u64::from(said(&line).is_some());
        told.lock().unwrap().push(&line);
    }
    child.kill().unwrap();
    // Its output before it died.
    lines.for_each(|line| told.lock().unwrap().push(&line));
    child.wait().unwrap();
}

/// The other process: appends until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by another test, in a process of its own"]
async fn append() {
    // A kill shows nothing of power cuts, so the syncs are left out and more is tried.
    let options = Options { durability: Durability::Process };
    let store = Arc::new(LogStore::open(store(), options).await.unwrap());
    work::write(store, rounds(PROCESS, 0), u64::MAX).await;
}

const PROCESSES: u64 = 4;
const PROCESS: &str = "SILCROW_TEST_PROCESS";
