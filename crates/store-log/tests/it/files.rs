//! The files of a store: their contents, copies of them, and a store to change them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use silcrow_event::{Entry, Event};
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_log::{Durability, LogStore, Options};
use tempfile::TempDir;

/// A program's view of a folder: names, bytes, and the times of the last writes. A file that the
/// store removes while the folder is listed is not in it.
pub(crate) type Snapshot = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

pub(crate) async fn open(dir: &Path) -> Result<LogStore, Error> {
    LogStore::open(dir, Options { durability: Durability::Process }).await
}

pub(crate) fn snapshot(dir: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let Some(written) = unless_removed(path.symlink_metadata()) else { continue };
        let written = written.modified().unwrap();
        if path.is_dir() {
            found.extend(snapshot(&path));
            found.insert(path, (Vec::new(), written));
        } else if let Some(bytes) = unless_removed(fs::read(&path)) {
            found.insert(path, (bytes, written));
        }
    }
    found
}

fn unless_removed<T>(read: io::Result<T>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(why) if why.kind() == io::ErrorKind::NotFound => None,
        Err(why) => panic!("{why}"),
    }
}

/// The files of a store, from its folder on; the segments in their order.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let is_file = |path: &PathBuf| path.is_file();
    let found = snapshot(dir).into_keys().filter(is_file);
    found.map(|path| path.strip_prefix(dir).unwrap().to_owned()).collect()
}

pub(crate) fn segments(dir: &Path) -> Vec<PathBuf> {
    files(dir).into_iter().filter(|path| path.starts_with("log")).collect()
}

pub(crate) fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    fs::create_dir(to.path().join("log")).unwrap();
    for name in files(from) {
        fs::copy(from.join(&name), to.path().join(&name)).unwrap();
    }
    to
}

/// A store of five segments, with long and short events, batches, values and deletions.
pub(crate) async fn filled() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await.unwrap();
    for round in 0..ROUNDS {
        for log in 0..LOGS {
            let batch = (0..BATCH).map(|n| event(log, round * BATCH + n + 1)).collect();
            store.append(&name(log), round * BATCH, batch).await.unwrap();
        }
        store.put("s", "k", round, value(round + 1)).await.unwrap();
        // A conversation that is gone in the end, and one that began again after it was deleted.
        store.append("gone", 0, vec![event(9, 1), event(9, 2)]).await.unwrap();
        store.put("of/gone", "k", 0, vec![7; 300]).await.unwrap();
        store.delete("gone", 2).await.unwrap();
    }
    store.append(AGAIN, 0, vec![event(8, 1), event(8, 2), event(8, 3)]).await.unwrap();
    store.put(&format!("of/{AGAIN}"), "k", 0, value(0)).await.unwrap();
    store.delete(AGAIN, 3).await.unwrap();
    store.append(AGAIN, 0, vec![event(7, 1), event(7, 2)]).await.unwrap();
    // A long value takes a separate segment.
    for log in 0..2 {
        store.put("long", "k", log, vec![log as u8; 4 << 20]).await.unwrap();
        store.append("tail", log, vec![event(6, log + 1)]).await.unwrap();
    }
    drop(store);
    assert_eq!(segments(dir.path()).len(), 5);
    dir
}

/// The parts that are not as they were written, of a store that [`filled`] made and that was
/// changed since.
///
/// Everything that is there must be as it was written, and otherwise the report must name it.
pub(crate) async fn losses(dir: &Path) -> Result<Vec<String>, Error> {
    let store = open(dir).await?;
    let mut lost = Vec::new();
    let logs = (0..LOGS).map(|log| (name(log), log, ROUNDS * BATCH));
    let logs = logs.chain([(AGAIN.to_owned(), 7, 2), ("tail".to_owned(), 6, 2)]);
    for (name, log, events) in logs {
        for position in 1..=events {
            match store.read(&name, position..=position).await {
                Ok(entries) if entries.is_empty() => lost.push(format!("end {name} {position}")),
                Ok(entries) => {
                    let wanted = Entry { seq: Some(position), ..event(log, position) };
                    assert_eq!(entries, [wanted], "{name} {position}");
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Damaged, "{name} {position}: {error}");
                    lost.push(format!("event {name} {position}: {error}"));
                }
            }
        }
        assert_eq!(store.read(&name, events + 1..=u64::MAX).await?, [], "{name}");
    }
    let values = [("s", ROUNDS, value(ROUNDS)), ("long", 2, vec![1; 4 << 20])];
    for (space, version, written) in values {
        match store.get(space, "k").await {
            Ok(Some(kept)) if kept.version == version => assert!(kept.value == written, "{space}"),
            Ok(kept) => {
                let version = kept.map(|kept| kept.version);
                lost.push(format!("value {space} back at {version:?}"));
            }
            Err(error) => lost.push(format!("value {space}: {error}")),
        }
    }
    if store.head("gone").await? != 0 || store.get("of/gone", "k").await?.is_some() {
        lost.push("deletion".to_owned());
    }
    if store.get(&format!("of/{AGAIN}"), "k").await?.is_some() {
        lost.push("deletion of a value".to_owned());
    }
    let report = store.verify().await?;
    assert!(lost.is_empty() || !report.damage.is_empty(), "{lost:?} is lost, and nobody says so");
    Ok(lost)
}

fn name(log: u64) -> String {
    format!("log {log}")
}

fn value(version: u64) -> Vec<u8> {
    vec![version as u8; 600]
}

fn event(log: u64, position: u64) -> Entry {
    let text = format!("{log} {position} ");
    Event::user(text.chars().cycle().take(position as usize * 97 % 6_000).collect::<String>())
        .into()
}

const LOGS: u64 = 4;
const BATCH: u64 = 5;
const ROUNDS: u64 = 4;
const AGAIN: &str = "again";
