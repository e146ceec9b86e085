//! Copies of a store that others use meanwhile.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::files::{filled, snapshot};
use crate::process::{command, rounds, say_tried, store};
use crate::work::{self, Told};

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

/// A copy has at least everything that was acknowledged before it began, and a prefix of each
/// conversation and value.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_beside_eight_writers_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let told = Mutex::new(Told::default());
    let children: Vec<_> = (0..PROCESSES)
        .map(|process| {
            let mut child = command("backup::write", dir.path());
            child.env(PROCESS, process.to_string()).spawn().unwrap()
        })
        .collect();
    let children = Mutex::new(children);
    let outputs: Vec<_> =
        children.lock().unwrap().iter_mut().map(|child| child.stdout.take().unwrap()).collect();
    let mut copies = Vec::new();
    thread::scope(|scope| {
        for output in outputs {
            let told = &told;
            scope.spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    told.lock().unwrap().push(&line);
                }
            });
        }
        let reader = loop {
            // The first of the writers makes the store.
            if dir.path().join("FORMAT").exists() {
                break tokio::task::block_in_place(|| {
                    tokio::runtime::Handle::current().block_on(open(dir.path()))
                });
            }
            thread::yield_now();
        };
        for _ in 0..rounds("SILCROW_BACKUPS", 4) {
            let lines = told.lock().unwrap().lines.lines().count();
            while told.lock().unwrap().lines.lines().count() < lines + 300 {
                thread::yield_now();
            }
            let before = told.lock().unwrap().clone();
            let to = tempfile::tempdir().unwrap();
            let done = tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(reader.backup(to.path(), |_, _| {}))
            });
            assert!(done.unwrap().bytes > 0);
            copies.push((to, before));
        }
        for child in &mut *children.lock().unwrap() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    });
    let mut events = 0;
    for (copy, before) in &copies {
        let store = open(copy.path()).await;
        let report = store.verify().await.unwrap();
        assert!(report.damage.is_empty() && report.lost.is_empty(), "{report:?}");
        drop(store);
        events = work::check(copy.path(), before).await;
        // It is a store like any other.
        let store = open(copy.path()).await;
        store.append("new", 0, vec![Event::user("x").into()]).await.unwrap();
        assert_eq!(store.verify().await.unwrap().damage, []);
    }
    say_tried(&format!("{} copies, {events} events in the last", copies.len()));
}

/// One of the writers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the test above, in a process of its own"]
async fn write() {
    let process = std::env::var(PROCESS).unwrap().parse().unwrap();
    work::write(Arc::new(open(&store()).await), process, u64::MAX).await;
}

#[tokio::test]
async fn backup_equals_its_store() {
    let dir = filled().await;
    fs::create_dir_all(dir.path().join("spills/c")).unwrap();
    fs::write(dir.path().join("spills/c/1-a1"), "a long output").unwrap();
    fs::create_dir(dir.path().join("changes")).unwrap();
    fs::write(dir.path().join("changes/0001-done-c"), "a record").unwrap();
    fs::create_dir(dir.path().join("index")).unwrap();
    fs::write(dir.path().join("server-token"), "secret").unwrap();
    let source = open(dir.path()).await;
    source.recover().await.unwrap();
    let before = snapshot(dir.path());
    let above = tempfile::tempdir().unwrap();
    let to = above.path().join("some/where");
    let told = Arc::new(AtomicU64::new(0));
    let progress = Arc::clone(&told);
    source
        .backup(&to, move |done, of| {
            assert!(done <= of);
            progress.store(done, Ordering::Relaxed);
        })
        .await
        .unwrap();
    assert!(told.load(Ordering::Relaxed) > 4 << 20);
    let after = snapshot(dir.path());
    assert!(
        before.keys().eq(after.keys())
            && before
                .iter()
                .all(|(path, (bytes, _))| path.ends_with("MARK") || after[path].0 == *bytes)
    );

    let copy = open(&to).await;
    let mut lines = [Vec::new(), Vec::new()];
    for (store, lines) in [&source, &copy].into_iter().zip(&mut lines) {
        silcrow_store::transfer::export(store, None, lines).await.unwrap();
    }
    assert!(lines[0] == lines[1] && !lines[0].is_empty());
    assert_eq!(copy.verify().await.unwrap(), source.verify().await.unwrap());
    assert_eq!(fs::read(to.join("spills/c/1-a1")).unwrap(), b"a long output");
    assert_eq!(fs::read(to.join("changes/0001-done-c")).unwrap(), b"a record");
    for name in ["index", "server-token", "copying", "LOCK"] {
        assert!(!to.join(name).exists(), "{name}");
    }
}

/// The existing files may be another backup.
#[tokio::test]
async fn backup_needs_an_empty_folder() {
    let dir = filled().await;
    let store = open(dir.path()).await;
    let full = tempfile::tempdir().unwrap();
    fs::write(full.path().join("letter.txt"), "dear").unwrap();
    let inside = dir.path().join("spills/backup");
    let file = full.path().join("letter.txt");
    for (to, why) in
        [(full.path(), "is not empty"), (&inside, "is in the store"), (&file, "is not a folder")]
    {
        let error = store.backup(to, |_, _| {}).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
    assert_eq!(fs::read_dir(full.path()).unwrap().count(), 1);
    assert!(!inside.exists());
    let nothing = tempfile::tempdir().unwrap();
    let empty = open(nothing.path()).await;
    let to = tempfile::tempdir().unwrap();
    let error = empty.backup(to.path(), |_, _| {}).await.unwrap_err();
    assert!(error.to_string().contains("no store found"), "{error}");
}

const PROCESSES: u64 = 8;
const PROCESS: &str = "SILCROW_TEST_PROCESS";
