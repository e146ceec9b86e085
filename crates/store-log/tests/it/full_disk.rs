//! A disk that is really full: a small separate file system.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::process::say;

#[test]
fn full_disk_refuses_changes_until_there_is_room() {
    in_small_file_system("full_disk::fill");
}

#[test]
fn deletion_and_compaction_free_a_full_disk() {
    in_small_file_system("full_disk::delete");
}

/// Runs an ignored test in a process that sees a file system of 16 MiB at the store's place.
fn in_small_file_system(test: &str) {
    if std::env::var_os(WITHOUT).is_some() {
        say(&format!("not tried: {WITHOUT} is set"));
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut shell = Command::new("unshare");
    let mount = "mount -t tmpfs -o size=16m none \"$0\" && exec \"$@\"";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount]).arg(dir.path());
    shell.arg(std::env::current_exe().unwrap());
    shell.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    let output = shell.env(PLACE, dir.path()).stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && shown.contains(DONE),
        "{shown}{}\nwhere no file system can be made, {WITHOUT}=1 leaves this out",
        String::from_utf8_lossy(&output.stderr),
    );
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn fill() {
    let place = place();
    let ballast = place.join("ballast");
    fs::write(&ballast, vec![1; 4 << 20]).unwrap();
    let store = open(&place).await;
    let mut head = 0;
    for size in [100_000, 900, 10] {
        let error = loop {
            match store.append("c", head, vec![event(head + 1, size)]).await {
                Ok(next) => head = next,
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(error.to_string().starts_with("making room in"), "{error}");
        let told = error.to_string();
        let (needed, free) = (before(&told, " bytes more are needed"), before(&told, " are free"));
        assert!(needed > free && needed < free + (1 << 20) && needed < 2_000_000, "{told}");
        assert_eq!(store.head("c").await.unwrap(), head);
    }
    for store in [&store, &open(&place).await] {
        let entries = store.read("c", 1..=u64::MAX).await.unwrap();
        assert_eq!(entries.len() as u64, head);
        assert!(store.verify().await.unwrap().damage.is_empty());
    }
    fs::remove_file(&ballast).unwrap();
    store.append("c", head, vec![event(head + 1, 100_000)]).await.unwrap();
    assert!(store.verify().await.unwrap().damage.is_empty());
    say(DONE);
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn delete() {
    let place = place();
    let store = open(&place).await;
    let mut written = 0;
    let last = loop {
        let conversation = format!("c {written}");
        let batch = (1..=10).map(|position| event(position, 20_000)).collect();
        match store.append(&conversation, 0, batch).await {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(last.kind(), ErrorKind::Io, "{last}");
    let mut crowd = fs::File::create(place.join("crowd")).unwrap();
    while crowd.write_all(&[1; 512]).is_ok() {}

    // The oldest ones go.
    let kept = written / 4;
    for number in 0..written - kept {
        store.delete(&format!("c {number}"), 10).await.unwrap();
    }
    store.compact().await.unwrap();
    let left = fs::read_dir(place.join("store/log")).unwrap();
    let left: u64 = left.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(left < 8 << 20, "{left} bytes are left of 16 MiB");
    store.append("new", 0, vec![event(1, 3 << 20)]).await.unwrap();
    let store = open(&place).await;
    let report = store.verify().await.unwrap();
    assert!(report.damage.is_empty(), "{report:?}");
    assert_eq!(report.events, kept * 10 + 1);
    say(DONE);
}

/// A deletion without enough space to free space says how much it needs, and so does a compaction.
#[test]
fn deletion_without_room_says_how_much() {
    in_small_file_system("full_disk::delete_in_vain");
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn delete_in_vain() {
    let place = place();
    let notices = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&notices);
    let store =
        open(&place).await.on_notice(move |line| told.lock().unwrap().push(line.to_owned()));
    // Of a segment nearly as long as the file system, a little less than half is to stay.
    store.append("kept", 0, vec![event(1, 1_900_000)]).await.unwrap();
    store.append("gone", 0, vec![event(1, 2_000_000)]).await.unwrap();
    store.append("next", 0, vec![event(1, 600_000)]).await.unwrap();
    store.append("other", 0, vec![event(1, 100_000)]).await.unwrap();
    let mut crowd = fs::File::create(place.join("crowd")).unwrap();
    let block = vec![1; 1 << 16];
    while crowd.write_all(&block).is_ok() {}
    while crowd.write_all(&[1; 512]).is_ok() {}
    store.delete("gone", 1).await.unwrap();
    let told = notices.lock().unwrap().join("\n");
    assert!(told.starts_with("what was deleted still takes its room: "), "{told}");
    let needed = before(&told, " bytes more are needed");
    assert!((1_900_000..2_000_000).contains(&needed), "{told}");
    let error = store.compact().await.unwrap_err().to_string();
    assert_eq!(before(&error, " bytes more are needed"), needed, "{error}");
    // With so much, and the little that the file system needs itself, it works.
    drop(crowd);
    let length = fs::metadata(place.join("crowd")).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(place.join("crowd")).unwrap();
    file.set_len(length - needed - (64 << 10)).unwrap();
    let done = store.compact().await.unwrap();
    assert!(done.after + 1_900_000 < done.before, "{done:?}");
    say(DONE);
}

/// Returns the number before some words.
fn before(told: &str, words: &str) -> u64 {
    let (before, _) = told.split_once(words).unwrap_or_else(|| panic!("{told}"));
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

fn place() -> PathBuf {
    std::env::var_os(PLACE).expect("this is run by another test, in a process of its own").into()
}

async fn open(place: &Path) -> LogStore {
    LogStore::open(place.join("store"), Options::default()).await.unwrap()
}

fn event(position: u64, size: usize) -> silcrow_event::Entry {
    let text = format!("{position} ");
    Event::user(text.repeat(size / text.len() + 1)).into()
}

const PLACE: &str = "SILCROW_TEST_PLACE";
const DONE: &str = "all of it was tried";

/// Set if no file system can be made, such as in some containers.
const WITHOUT: &str = "SILCROW_WITHOUT_TMPFS";
