//! A process killed at any moment.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use silcrow_event::{Entry, Event};
use silcrow_store::Store as _;
use silcrow_store_sled::{Durability, Options, SledStore};

use crate::process::{command, said, say, store};

/// What was acknowledged before a kill is there after it; the rest is there whole or not at all.
#[tokio::test]
async fn nothing_acknowledged_is_lost_to_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = [0; WRITERS];
    let mut total = 0;
    // Also within the first moments, when the store is being made or opened.
    for after in [3, 11, 25, 60, 120, 35, 300, 80, 180, 500] {
        let mut child = command("kill::append", dir.path()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let killer = thread::spawn(move || {
            // The one place where time itself is tested: a kill at some moment.
            thread::sleep(Duration::from_millis(after));
            child.kill().unwrap();
            child.wait().unwrap();
        });
        for line in out.lines().map_while(Result::ok) {
            // A line that the kill cut off tells of nothing.
            let Some((writer, rest)) = said(&line).and_then(|said| said.split_once(' ')) else {
                continue;
            };
            let Some(head) = rest.strip_suffix(" ok") else { continue };
            acknowledged[writer.parse::<usize>().unwrap()] = head.parse().unwrap();
        }
        killer.join().unwrap();
        total = verify(dir.path(), &acknowledged).await;
    }
    assert!(total > 100, "the processes appended {total} events: they hardly ran");
}

/// Every log is what its writer wrote, without a gap, at least as far as was acknowledged.
async fn verify(dir: &Path, acknowledged: &[u64; WRITERS]) -> u64 {
    let store = SledStore::open(dir, Options::default()).await.unwrap();
    let mut total = 0;
    for (writer, &acknowledged) in acknowledged.iter().enumerate() {
        let head = store.head(&conversation(writer)).await.unwrap();
        assert!(head >= acknowledged, "writer {writer}: {acknowledged} acknowledged, {head} there");
        let entries = store.read(&conversation(writer), 1..=u64::MAX).await.unwrap();
        assert_eq!(entries.len() as u64, head);
        for (entry, position) in entries.iter().zip(1..) {
            assert_eq!(*entry, Entry { seq: Some(position), ..entry_at(writer, position) });
        }
        assert_eq!(end_of_batch(head), head, "writer {writer}: a batch is there in part");
        total += head;
    }
    total
}

/// The other process: appends until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by another test, in a process of its own"]
async fn append() {
    // A kill shows nothing of power cuts, so the syncs are left out and more is tried.
    let options = Options { durability: Durability::Process };
    let store = Arc::new(SledStore::open(store(), options).await.unwrap());
    let writers = (0..WRITERS).map(|writer| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let conversation = conversation(writer);
            let mut head = store.head(&conversation).await.unwrap();
            loop {
                let batch = (head + 1..=end_of_batch(head + 1)).map(|at| entry_at(writer, at));
                head = store.append(&conversation, head, batch.collect()).await.unwrap();
                say(&format!("{writer} {head} ok"));
            }
        })
    });
    futures_util::future::join_all(writers.collect::<Vec<_>>()).await;
}

fn conversation(writer: usize) -> String {
    format!("writer {writer}")
}

/// Mostly short, sometimes 60 kB or 300 kB.
fn entry_at(writer: usize, position: u64) -> Entry {
    let size = match position % 50 {
        17 => 60_000,
        33 if position % 100 == 33 => 300_000,
        other => 20 * other as usize,
    };
    let text = format!("writer {writer} position {position} ");
    let content = text.chars().cycle().take(text.len() + size).collect::<String>();
    Entry { timestamp: Some(position as f64 / 7.0), ..Event::user(content).into() }
}

/// Batches end at 1, 3, 6, 7, 9, 12, …: one, two and three entries in turn.
fn end_of_batch(position: u64) -> u64 {
    match position % 6 {
        2 | 5 => position + 1,
        4 => position + 2,
        _ => position,
    }
}

const WRITERS: usize = 4;
