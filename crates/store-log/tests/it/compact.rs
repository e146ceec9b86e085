//! Room that deletions give back, beside readers and writers.

use std::path::Path;

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::{Durability, LogStore, Options};

const OPTIONS: Options = Options { durability: Durability::Process };

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, OPTIONS).await.unwrap()
}

/// Appends `count` events of about 1 KiB.
async fn fill(store: &LogStore, conversation: &str, count: usize) {
    let head = store.head(conversation).await.unwrap();
    let batch = (0..count).map(|n| Event::user(format!("{n} ").repeat(250)).into()).collect();
    store.append(conversation, head, batch).await.unwrap();
}

fn size(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir.join("log")).unwrap();
    files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

#[tokio::test]
async fn compaction_keeps_only_live_entries() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    for round in 0..12 {
        fill(&store, "kept", 100).await;
        fill(&store, &format!("gone {round}"), 900).await;
        store.put("s", "k", round, vec![round as u8; 9_000]).await.unwrap();
        store.put(&format!("mark/gone {round}"), "k", 0, vec![1]).await.unwrap();
    }
    let reader = open(dir.path()).await;
    let before = store.read("kept", 1..=u64::MAX).await.unwrap();
    for round in 0..12 {
        store.delete(&format!("gone {round}"), 900).await.unwrap();
    }
    let compacted = store.compact().await.unwrap();
    assert!(compacted.after < compacted.before, "{compacted:?}");
    assert_eq!(compacted.after, size(dir.path()));
    assert!(compacted.after < 2_000_000, "1.2 MB of events are left: {compacted:?}");

    for store in [&store, &reader, &open(dir.path()).await] {
        assert_eq!(store.read("kept", 1..=u64::MAX).await.unwrap(), before);
        assert_eq!(store.list(None).await.unwrap().len(), 1);
        assert_eq!(store.get("s", "k").await.unwrap().unwrap().value, vec![11; 9_000]);
        assert_eq!(store.keys().await.unwrap(), [("s".to_owned(), "k".to_owned())]);
        let report = store.verify().await.unwrap();
        assert!(report.damage.is_empty(), "{report:?}");
        assert_eq!((report.events, report.values), (1_200, 1));
    }
    // Both continue, and read each other's records.
    fill(&reader, "kept", 1).await;
    fill(&store, "kept", 1).await;
    assert_eq!(reader.head("kept").await.unwrap(), 1_202);
    let again = store.compact().await.unwrap();
    assert_eq!(again.before, again.after, "there is nothing more to give back");
}

/// Without a request, once half of a segment no longer counts.
#[tokio::test]
async fn space_is_reclaimed_during_writes() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    for round in 0..30 {
        fill(&store, "side", 900).await;
        store.delete("side", 900).await.unwrap();
        fill(&store, "kept", round + 1).await;
    }
    assert!(size(dir.path()) < 12 << 20, "27 MB were deleted, {} are left", size(dir.path()));
    let report = store.verify().await.unwrap();
    assert_eq!((report.events, report.damage.len()), (30 * 31 / 2, 0));
}

/// A value that is set again and again takes no space for its old versions.
#[tokio::test]
async fn old_values_take_no_space() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    for version in 0..600 {
        store.put("s", "k", version, vec![7; 50_000]).await.unwrap();
    }
    assert!(size(dir.path()) < 12 << 20, "of 30 MB {} are left", size(dir.path()));
    assert_eq!(open(dir.path()).await.get("s", "k").await.unwrap().unwrap().version, 600);
}

/// The record of a deletion is in a segment that is rewritten, and the deleted data is in an
/// earlier one that stays.
#[tokio::test]
async fn deleted_entries_do_not_reappear() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    fill(&store, "gone", 10).await;
    store.put("mark/gone", "k", 0, vec![1]).await.unwrap();
    fill(&store, "kept", 2_000).await;
    fill(&store, "junk", 3_000).await;
    store.delete("gone", 10).await.unwrap();
    // The next segment begins here, and most of the one before it no longer counts.
    fill(&store, "more", 3_000).await;
    store.delete("junk", 3_000).await.unwrap();
    let before = size(dir.path());
    assert!(before < 9 << 20, "the segment with the deletion was rewritten: {before} bytes");

    let store = open(dir.path()).await;
    assert_eq!(store.head("gone").await.unwrap(), 0);
    assert_eq!(store.get("mark/gone", "k").await.unwrap(), None);
    assert_eq!(store.verify().await.unwrap().events, 5_000);
}
