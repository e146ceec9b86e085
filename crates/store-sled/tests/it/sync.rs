//! A disk that fails to sync once, and says so only then.

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledStore};

use crate::process::{command, said, say, store};
use crate::recorder::{Record, Recorder};

/// After a failed sync the system may have forgotten what was written, so the next sync, which
/// succeeds, shows nothing: the store takes nothing more, whichever sync it was.
#[test]
fn a_failed_sync_is_never_taken_for_a_good_one() {
    let recorder = Recorder::new();
    let (mut opening, mut appending) = (0, 0);
    for failing in 1..=16 {
        let dir = tempfile::tempdir().unwrap();
        let mut child = command("sync::append", dir.path());
        recorder.fail(&mut child, dir.path(), failing);
        let output = child.stderr(std::process::Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "sync {failing}");
        let told = String::from_utf8(output.stdout).unwrap();
        match told.lines().find_map(said).unwrap() {
            "unopened" => opening += 1,
            "unwritten" => appending += 1,
            // One of sled's background thread, which our own do not rely on.
            "written" => {}
            other => panic!("sync {failing}: {other}"),
        }
        let syncs = recorder.take(dir.path());
        let began = syncs.iter().filter(|one| matches!(one, Record::SyncBegan { .. })).count();
        assert!(began as u64 >= failing, "there was no sync {failing}");
    }
    assert!(opening >= 3 && appending >= 3, "{opening} while opening, {appending} while appending");
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn append() {
    let dir = store();
    let told = match SledStore::open(&dir, Options::default()).await {
        Ok(store) => fill(&store).await,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            "unopened"
        }
    };
    // What failed was the disk, once: the next process finds a store, with all of it or begun anew.
    let store = SledStore::open(&dir, Options::default()).await.unwrap();
    let head = store.head("c").await.unwrap();
    assert_eq!(store.read("c", 1..=u64::MAX).await.unwrap().len() as u64, head);
    drop(store);
    say(told);
}

async fn fill(store: &SledStore) -> &'static str {
    for head in 0..20 {
        let Err(error) = store.append("c", head, vec![Event::user("x").into()]).await else {
            continue;
        };
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(error.to_string().contains("nothing of this was acknowledged"), "{error}");
        let error = store.append("c", head, vec![Event::user("x").into()]).await.unwrap_err();
        assert!(error.to_string().contains("takes nothing more"), "{error}");
        assert_eq!(store.head("c").await.unwrap(), head, "readers see what was acknowledged");
        assert_eq!(store.read("c", 1..=u64::MAX).await.unwrap().len() as u64, head);
        return "unwritten";
    }
    "written"
}
