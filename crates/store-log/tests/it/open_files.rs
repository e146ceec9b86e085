//! A log with more segments than the process may have files open.

use std::process::Stdio;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use silcrow_event::Event;
use silcrow_store::Store as _;

use crate::files::{open, segments};
use crate::process::{command, said, say, store};

#[tokio::test]
async fn log_may_exceed_the_open_file_limit() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await.unwrap();
    for round in 0..SEGMENTS {
        store.append("kept", round, vec![Event::user(format!("{round}")).into()]).await.unwrap();
        store.append("gone", round, vec![Event::user("x".repeat(50)).into()]).await.unwrap();
        // The last segment has something that does not count, so compacting begins another one.
        store.append("small", 0, vec![Event::user("x").into()]).await.unwrap();
        store.delete("small", 1).await.unwrap();
        store.compact().await.unwrap();
    }
    drop(store);
    assert!(segments(dir.path()).len() as u64 > SEGMENTS);
    let mut child = command("open_files::with_few_files", dir.path());
    let output = child.stderr(Stdio::piped()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{errors}");
    assert_eq!(out.lines().find_map(said), Some("all is there"), "{errors}");
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn with_few_files() {
    let limit = Rlimit { current: Some(FILES), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limit).unwrap();
    let dir = store();
    let (one, other) = (open(&dir).await.unwrap(), open(&dir).await.unwrap());
    for round in 0..3 {
        for store in [&one, &other] {
            for position in (1..=SEGMENTS).chain((1..SEGMENTS).rev()) {
                let entries = store.read("kept", position..=position).await.unwrap();
                assert_eq!(entries[0].event, Event::user(format!("{}", position - 1)));
            }
            let damage = store.verify().await.unwrap().damage;
            assert_eq!(damage, [], "round {round}");
        }
        match round {
            // Every segment has something that no longer counts.
            0 => other.delete("gone", SEGMENTS).await.unwrap(),
            1 => {
                let compacted = other.compact().await.unwrap();
                assert!(compacted.after < compacted.before);
            }
            _ => {}
        }
        one.append("more", round, vec![Event::user("x").into()]).await.unwrap();
    }
    assert_eq!(one.list(None).await.unwrap().len(), 2);
    say("all is there");
}

/// Twice as many as a store keeps open.
const SEGMENTS: u64 = 70;

/// Two stores and a verification would have 210 segments open.
const FILES: u64 = 128;
