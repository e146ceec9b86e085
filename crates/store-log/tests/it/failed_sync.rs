//! A sync that fails like a disk's, and later writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use silcrow_event::Event;
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::chance::Chance;
use crate::disk::{Cut, Disk};
use crate::process::{command, said, say, store};
use crate::recorder::{Record, Recorder};

#[tokio::test]
async fn nothing_acknowledged_after_a_failed_sync_is_lost() {
    at_every_sync(|recorder, child| recorder.boot(child, 1)).await;
}

/// Then no mark is exact.
#[tokio::test]
async fn missing_boot_id_loses_nothing() {
    at_every_sync(Recorder::boot_without_number).await;
}

/// Then nothing says that a sync failed.
#[tokio::test]
async fn removed_mark_loses_nothing() {
    at_every_sync(|recorder, child| {
        recorder.boot(child, 1);
        child.env(WITHOUT_MARK, "1");
    })
    .await;
}

/// Lets each sync of a process fail in turn, and cuts the power after the process acknowledges
/// something afterwards.
async fn at_every_sync(begin: impl Fn(&Recorder, &mut Command)) {
    let recorder = Recorder::new();
    let mut failed = BTreeSet::new();
    for sync in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Disk::read(folder.path());
        let mut child = command("failed_sync::work", folder.path());
        recorder.watch(&mut child, folder.path());
        recorder.fail_sync(&mut child, sync);
        begin(&recorder, &mut child);
        let output = child.stderr(Stdio::piped()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "sync {sync}: {errors}");
        let mut has_failed = false;
        for record in recorder.take(folder.path()) {
            disk.apply(&record);
            has_failed |= matches!(record, Record::SyncFailed { .. });
            let Record::Said(line) = record else { continue };
            let Some(taken) = said(&line).and_then(|said| said.trim_end().parse().ok()) else {
                continue;
            };
            if has_failed {
                failed.insert(sync);
                let left = tempfile::tempdir().unwrap();
                disk.cut(left.path(), Cut::Lost, &Chance::new(0));
                check(left.path(), taken, &format!("sync {sync}, after step {taken}")).await;
            }
        }
        assert!(disk.is(folder.path()), "the record of what was written has a gap");
        if !has_failed {
            break;
        }
    }
    assert!(failed.len() > STEPS as usize, "{failed:?}");
}

/// Checks that everything that these steps wrote is there, and nothing is damaged.
async fn check(dir: &Path, taken: u64, what: &str) {
    let store = LogStore::open(dir, Options::default()).await.unwrap();
    assert_eq!(store.verify().await.unwrap().damage, [], "{what}");
    let head = store.head("c").await.unwrap();
    assert!(head >= taken - u64::from(taken >= BIG_STEP), "{what}: {head} events");
    for entry in store.read("c", 1..=head).await.unwrap() {
        assert_eq!(entry.event, event(entry.seq.unwrap()), "{what}");
    }
    let big = store.get("s", "big").await.unwrap();
    assert_eq!(big.is_none(), taken < BIG_STEP, "{what}");
}

/// The other process. After an error it opens the store again, as a person would.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn work() {
    let mut opened = open().await;
    for number in 1..=STEPS {
        while let Err(error) = step(&opened, number).await {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            drop(opened);
            if std::env::var_os(WITHOUT_MARK).is_some() {
                // It may not be there yet.
                let _ = fs::remove_file(store().join("MARK"));
            }
            opened = open().await;
        }
        say(&number.to_string());
    }
}

async fn open() -> LogStore {
    LogStore::open(store(), Options::default()).await.unwrap()
}

/// One of the steps fills the first segment, so that another one begins.
async fn step(store: &LogStore, number: u64) -> Result<(), Error> {
    let done = if number == BIG_STEP {
        store.put("s", "big", 0, vec![7; 4 << 20]).await
    } else {
        let head = number - 1 - u64::from(number > BIG_STEP);
        store.append("c", head, vec![event(head + 1).into()]).await
    };
    match done {
        // It was written before its sync failed, and synced since.
        Err(error) if error.kind() == ErrorKind::Conflict => Ok(()),
        done => done.map(drop),
    }
}

fn event(position: u64) -> Event {
    Event::user(format!("{position}"))
}

const STEPS: u64 = 6;

/// The number of the step that writes a long value.
const BIG_STEP: u64 = 5;

const WITHOUT_MARK: &str = "SILCROW_TEST_WITHOUT_MARK";
