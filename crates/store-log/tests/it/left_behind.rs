//! Groups that a killed process had written and not yet acknowledged, and the processes after it.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::files::copy;
use crate::process::{command, store};
use crate::recorder::{Record, Recorder};

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

/// At whatever system call the previous process was killed: the holder of the conversation reads
/// the head that the next append finds, and other readers always see the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hold_shows_the_head_for_appending() {
    let recorder = Recorder::new();
    let model = tempfile::tempdir().unwrap();
    open(model.path()).await.append("c", 0, vec![Event::user("1").into()]).await.unwrap();
    let mut uncovered = 0;
    for moment in ["before", "after"] {
        for call in 1.. {
            let folder = copy(model.path());
            // Another process has the store open all the time.
            let beside = open(folder.path()).await;
            let mut followed = beside.follow("c", 1);
            let mut child = command("left_behind::append", folder.path());
            recorder.watch(&mut child, folder.path());
            recorder.at_call(&mut child, call, moment);
            let _ = child.stderr(Stdio::null()).output().unwrap();
            let records = recorder.take(folder.path());
            let is_reached = records.iter().any(|record| matches!(record, Record::Reached(_)));
            if !is_reached {
                break;
            }
            let what = format!("{moment} call {call}");

            let next = open(folder.path()).await;
            let before = next.head("c").await.unwrap();
            let hold = next.hold("c").await.unwrap();
            let head = next.head("c").await.unwrap();
            let text = |head: u64| Event::user(format!("event {head}"));
            let appended = next.append("c", head, vec![text(head).into()]).await;
            assert_eq!(appended.unwrap_or_else(|error| panic!("{what}: {error}")), head + 1);
            hold.release().await;
            uncovered += u32::from(head > before);

            assert_eq!(beside.head("c").await.unwrap(), head + 1, "{what}");
            assert_eq!(beside.list(None).await.unwrap()[0].events, head + 1, "{what}");
            for position in 2..=head + 1 {
                let entry = followed.next().await.unwrap().unwrap();
                assert_eq!(entry.seq, Some(position), "{what}");
            }
            assert!(next.verify().await.unwrap().damage.is_empty(), "{what}");
        }
    }
    assert!(uncovered > 0, "no process died between writing its group and moving the mark");
}

/// The other process.
#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn append() {
    let store = open(&store()).await;
    store.append("c", 1, vec![Event::user("2").into()]).await.unwrap();
}

/// A run that is dropped takes its change not back, so the next run waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hold_lasts_until_pending_writes_end() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (open(dir.path()).await, open(dir.path()).await);
    one.append("c", 0, vec![Event::user("1").into()]).await.unwrap();
    for is_released in [false, true] {
        let head = one.head("c").await.unwrap();
        let hold = one.hold("c").await.unwrap();
        let lock = fs::File::open(dir.path().join("LOCK")).unwrap();
        lock.lock().unwrap();
        {
            let mut given_up = one.append("c", head, vec![Event::user("late").into()]);
            assert!((&mut given_up).now_or_never().is_none());
        }
        let mut releasing = None;
        match is_released {
            true => releasing = Some(tokio::spawn(hold.release())),
            false => drop(hold),
        }
        assert_eq!(other.hold("c").await.unwrap_err().kind(), ErrorKind::Locked);
        lock.unlock().unwrap();
        let hold = match releasing {
            Some(releasing) => {
                releasing.await.unwrap();
                other.hold("c").await.unwrap()
            }
            // The next run of the same store waits for it.
            None => one.hold("c").await.unwrap(),
        };
        assert_eq!(other.head("c").await.unwrap(), head + 1);
        other.append("c", head + 1, vec![Event::user("next").into()]).await.unwrap();
        hold.release().await;
    }
}
