//! Eight processes that write to one store, follow each other, and are stopped and killed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use futures_util::StreamExt as _;
use rustix::process::{Pid, Signal, kill_process};
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::chance::Chance;
use crate::process::{command, rounds, said, say, say_tried, store};
use crate::work::{self, SHARED, Told};

/// No change is rejected, nothing is lost, and every follower sees each event once, in order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_shares_a_store() {
    let dir = tempfile::tempdir().unwrap();
    let each = rounds("SILCROW_CROWD", 60);
    let seed = silcrow_testkit::run_seed();
    let told = Mutex::new(Told::default());
    let (stops, kills) = (AtomicU64::new(0), AtomicU64::new(0));
    let failures: Vec<_> = thread::scope(|scope| {
        let members = (0..PROCESSES).map(|process| {
            let (dir, told, stops, kills) = (dir.path(), &told, &stops, &kills);
            scope.spawn(move || {
                let mut chance = Chance::new(seed.wrapping_add(process));
                // Every other process is killed in the middle, and another one takes its place.
                if process % 2 == 0 {
                    run(dir, process, each, Some(each / 2), told, &mut chance, stops)?;
                    kills.fetch_add(1, Ordering::Relaxed);
                }
                run(dir, process, each, None, told, &mut chance, stops)
            })
        });
        let members: Vec<_> = members.collect();
        members.into_iter().filter_map(|member| member.join().unwrap().err()).collect()
    });
    let told = told.into_inner().unwrap();
    let total = work::check(dir.path(), &told).await;
    // Whatever a process missed, stored data was compared first.
    assert_eq!(failures, [""; 0]);

    let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
    let head = store.head(SHARED).await.unwrap();
    let (stops, kills) = (stops.into_inner(), kills.into_inner());
    say_tried(&format!("{total} events, {head} of them shared, {stops} stops, {kills} kills"));
}

/// Runs a process to its end, or kills it after this many lines. Returns its failure.
fn run(
    dir: &Path,
    process: u64,
    each: u64,
    kill_after: Option<u64>,
    told: &Mutex<Told>,
    chance: &mut Chance,
    stops: &AtomicU64,
) -> Result<(), String> {
    let mut child = command("crowd::member", dir)
        .env(PROCESS, process.to_string())
        .env(EACH, each.to_string())
        // Its errors are on the screen.
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let pid = Pid::from_child(&child);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut is_done = false;
    for (line, count) in lines.zip(0..) {
        told.lock().unwrap().push(&line);
        is_done |= said(&line).is_some_and(|said| said.starts_with("followed "));
        if kill_after == Some(count) {
            child.kill().unwrap();
        } else if chance.below(20) == 0 {
            // Whatever it holds, others have to wait for it for a moment.
            kill_process(pid, Signal::STOP).unwrap();
            thread::yield_now();
            kill_process(pid, Signal::CONT).unwrap();
            stops.fetch_add(1, Ordering::Relaxed);
        }
    }
    let status = child.wait().unwrap();
    match kill_after {
        None if !status.success() => Err(format!("process {process} ended with {status}")),
        None if !is_done => Err(format!("process {process} did not follow to the end")),
        _ => Ok(()),
    }
}

/// One of the processes: it writes, and follows the writes of all until all have ended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by another test, in a process of its own"]
async fn member() {
    let options = Options::default();
    let (process, each) = (rounds(PROCESS, 0), rounds(EACH, 0));
    let store = Arc::new(LogStore::open(store(), options).await.unwrap());
    let follower = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut ended = [false; PROCESSES as usize];
            let mut events = store.follow(SHARED, 0);
            let mut position = 0;
            while ended.contains(&false) {
                let entry = events.next().await.expect("a log has no end").unwrap();
                position += 1;
                assert_eq!(entry.seq, Some(position), "each event once, in order");
                let (writer, number) = work::shared_of(&entry);
                ended[writer as usize] |= number >= each;
            }
            position
        })
    };
    work::write(Arc::clone(&store), process, each).await;
    work::share_until(Arc::clone(&store), process, each).await;
    let followed = follower.await.unwrap();
    say(&format!("followed {followed}"));
}

const PROCESSES: u64 = 8;
const PROCESS: &str = "SILCROW_TEST_PROCESS";
const EACH: &str = "SILCROW_TEST_EACH";
