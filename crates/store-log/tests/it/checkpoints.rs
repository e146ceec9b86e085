//! Checkpoints that processes write, or fail to write: the state with which a store is opened.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};
use tempfile::TempDir;

use crate::commands::open;
use crate::files::copy;
use crate::process::{command, rounds, said, say, say_tried, store};
use crate::recorder::{Record, Recorder};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opening_reads_checkpoint_and_later_events() {
    let model = model(12).await;
    let log: u64 = 12 * 10 * LONG as u64;
    let with = opened(model.path());
    assert!(with < log / 4, "{with} of {log} bytes");
    fs::remove_file(model.path().join("CHECKPOINT")).unwrap();
    let without = opened(model.path());
    assert!(without > log, "{without} of {log} bytes");
}

/// Returns the number of bytes that another process reads to open a store and to list it.
fn opened(dir: &Path) -> u64 {
    let output = command("checkpoints::list", dir).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    told.lines().find_map(said).unwrap().parse().unwrap()
}

#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn list() {
    let before = read_bytes();
    assert_eq!(open(&store()).await.list(None).await.unwrap().len(), 3);
    say(&(read_bytes() - before).to_string());
}

fn read_bytes() -> u64 {
    let counters = fs::read_to_string("/proc/self/io").unwrap();
    let count = counters.lines().find_map(|line| line.strip_prefix("rchar: "));
    count.unwrap().parse().unwrap()
}

/// A process that replaces a checkpoint is killed before or after each of its calls that change a
/// file, or the call fails: the log still adds up to the acknowledged state.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_checkpoint_is_ignored() {
    let model = model(4).await;
    let before = fs::read(model.path().join("CHECKPOINT")).unwrap();
    let recorder = Recorder::new();
    let step = rounds("SILCROW_CALL_STEP", 9);
    let (mut kept, mut replaced, mut tried) = (0, 0, 0);
    for (fate, first) in ["before", "after", "5", "28", "28+"].into_iter().zip(1..) {
        for call in (first..).step_by(step as usize) {
            let folder = copy(model.path());
            let beside = open(folder.path()).await;
            let mut child = command("checkpoints::grow", folder.path());
            recorder.watch(&mut child, folder.path());
            recorder.at_call(&mut child, call, fate);
            let output = child.stderr(Stdio::piped()).output().unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(!errors.contains("panicked"), "{fate} {call}: {errors}");
            let told = String::from_utf8(output.stdout).unwrap();
            let done = told.lines().filter_map(said).filter(|line| *line == "done").count();
            let what = format!("{fate} at call {call}");
            for there in [&beside, &open(folder.path()).await] {
                check(there, done as u64, &what).await;
            }
            match fs::read(folder.path().join("CHECKPOINT")).unwrap() == before {
                true => kept += 1,
                false => replaced += 1,
            }
            // The next process completes it.
            grow_on(&beside).await;
            drop(beside);
            check(&open(folder.path()).await, MORE, &what).await;
            tried += 1;
            let records = recorder.take(folder.path());
            if !records.iter().any(|record| matches!(record, Record::Reached(_))) {
                break;
            }
        }
    }
    say_tried(&format!("{tried} calls, {kept} checkpoints were kept, {replaced} were replaced"));
    assert!(kept > 2 && replaced > 2, "{kept} {replaced}");
}

#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn grow() {
    // The call that fails may be one of those that open the store.
    let Ok(log) = LogStore::open(store(), Options::default()).await else { return };
    let _ = log.recover().await;
    for head in 0..MORE {
        if log.append("more", head, vec![long(head)]).await.is_ok() {
            say("done");
        }
    }
}

/// Appends the events that another process could not append.
async fn grow_on(store: &LogStore) {
    store.recover().await.unwrap();
    for head in store.head("more").await.unwrap()..MORE {
        store.append("more", head, vec![long(head)]).await.unwrap();
    }
}

/// Compares a store with the appended events. Of the last events one more may be there than was
/// acknowledged.
async fn check(store: &LogStore, more: u64, what: &str) {
    for conversation in ["c0", "c1", "c2"] {
        let head = store.head(conversation).await.unwrap();
        let entries = store.read(conversation, 1..=head).await.unwrap();
        let wanted = (0..head).map(|head| long(head).event);
        assert!(entries.into_iter().map(|entry| entry.event).eq(wanted), "{what}: {conversation}");
    }
    let head = store.head("more").await.unwrap();
    assert!((more..=more + 1).contains(&head), "{what}: {head} of {more}");
    assert_eq!(store.read("more", 1..=head).await.unwrap().len(), head as usize, "{what}");
    let list = store.list(None).await.unwrap();
    assert_eq!(list.len(), 3 + usize::from(head > 0), "{what}: {list:?}");
    let report = store.verify().await.unwrap();
    assert_eq!(report.damage, [], "{what}");
    let events: u64 = list.iter().map(|one| one.events).sum();
    assert_eq!(report.events, events, "{what}");
}

/// Each of two processes writes checkpoints, and opens the store again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_checkpoints_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let beside = open(folder.path()).await;
    let children = [1, 2].map(|number| {
        let mut child = command("checkpoints::alternate", folder.path());
        child.env(NUMBER, number.to_string()).spawn().unwrap()
    });
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    assert!(folder.path().join("CHECKPOINT").exists());
    for there in [&beside, &open(folder.path()).await] {
        for number in [1, 2] {
            let entries = there.read(&format!("p{number}"), 1..=u64::MAX).await.unwrap();
            let wanted = (0..60).map(|head| long(head).event);
            assert!(entries.into_iter().map(|entry| entry.event).eq(wanted));
        }
        assert_eq!(there.verify().await.unwrap().damage, []);
    }
}

#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn alternate() {
    let number = std::env::var(NUMBER).unwrap();
    let conversation = format!("p{number}");
    for round in 0..12 {
        let log = open(&store()).await;
        assert_eq!(log.head(&conversation).await.unwrap(), round * 5);
        for head in round * 5..round * 5 + 5 {
            log.append(&conversation, head, vec![long(head)]).await.unwrap();
            let version = log.get("s", &conversation).await.unwrap().map_or(0, |kept| kept.version);
            assert_eq!(version, head);
            log.put("s", &conversation, version, vec![b'v'; 900]).await.unwrap();
        }
        let read = log.read(&conversation, 1..=u64::MAX).await.unwrap();
        assert_eq!(read.len() as u64, round * 5 + 5);
    }
}

/// Returns a store with a checkpoint, in which ten long events were appended this many times.
async fn model(rounds: u64) -> TempDir {
    let model = tempfile::tempdir().unwrap();
    let log = open(model.path()).await;
    for round in 0..rounds {
        let (conversation, head) = (format!("c{}", round % 3), round / 3 * 10);
        let batch = (head..head + 10).map(long).collect();
        log.append(&conversation, head, batch).await.unwrap();
    }
    drop(log);
    assert!(model.path().join("CHECKPOINT").exists());
    model
}

/// The event after a position.
fn long(head: u64) -> silcrow_event::Entry {
    Event::user(format!("{head} {}", "x".repeat(LONG))).into()
}

/// In bytes.
const LONG: usize = 30_000;

/// So many events make the next checkpoint due.
const MORE: u64 = 12;

const NUMBER: &str = "SILCROW_TEST_NUMBER";
