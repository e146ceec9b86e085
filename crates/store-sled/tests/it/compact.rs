use std::fs;
use std::path::Path;

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _, transfer};
use silcrow_store_sled::{Options, SledDurability, SledStore};

async fn open(dir: &Path) -> SledStore {
    let options = Options { durability: SledDurability::Process };
    SledStore::open(dir, options).await.unwrap()
}

async fn exported(dir: &Path) -> String {
    let store = open(dir).await;
    assert_eq!(store.verify().await.unwrap().damage, []);
    let mut out = Vec::new();
    transfer::export(&store, None, &mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

/// A store that much was deleted from.
async fn filled(dir: &Path) {
    let store = open(dir).await;
    for conversation in 0..20 {
        let batch: Vec<_> = (0..100).map(|n| Event::user("x".repeat(n * 20)).into()).collect();
        store.append(&format!("c{conversation}"), 0, batch).await.unwrap();
        store.put("s", &format!("k{conversation}"), 0, vec![1; 9_000]).await.unwrap();
    }
    for conversation in 3..20 {
        store.delete(&format!("c{conversation}"), 100).await.unwrap();
    }
    store.append("c1", 100, vec![Event::user("the last").into()]).await.unwrap();
}

#[tokio::test]
async fn what_is_compacted_is_the_same_and_smaller() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let before = exported(dir.path()).await;
    let done = SledStore::compact(dir.path()).await.unwrap();
    assert!(done.after < done.before / 2, "{done:?}");
    assert_eq!(exported(dir.path()).await, before);
    let store = open(dir.path()).await;
    store.append("c1", 101, vec![Event::user("on").into()]).await.unwrap();
    assert_eq!(store.list(None).await.unwrap()[0].conversation, "c1");
    assert!(!dir.path().join("data.old").exists());

    let error = SledStore::compact(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
}

/// A process killed between any two steps leaves the old files or the new ones.
#[tokio::test]
async fn a_compaction_that_was_killed_is_undone_or_done() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let before = exported(dir.path()).await;
    let [data, old, new] = ["data", "data.old", "data.new"].map(|name| dir.path().join(name));
    // While the new files are written.
    fs::create_dir_all(new.join("blobs")).unwrap();
    fs::write(new.join("db"), "half").unwrap();
    assert_eq!(exported(dir.path()).await, before);
    assert!(!new.exists(), "half a store takes room");
    fs::create_dir_all(new.join("blobs")).unwrap();
    fs::write(new.join("db"), "whole").unwrap();
    // Between the two moves.
    fs::rename(&data, &old).unwrap();
    assert_eq!(exported(dir.path()).await, before);
    // Before the old files are removed.
    fs::create_dir_all(old.join("blobs")).unwrap();
    fs::write(old.join("db"), "old").unwrap();
    assert_eq!(exported(dir.path()).await, before);
    assert!(!old.exists());
}

#[tokio::test]
async fn nothing_is_made_where_there_is_no_store() {
    let dir = tempfile::tempdir().unwrap();
    let error = SledStore::compact(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format, "{error}");
}
