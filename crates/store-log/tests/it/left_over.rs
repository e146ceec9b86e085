//! The remains of a compaction that was killed before it recorded a rewritten segment, while others
//! have the store open.

use std::fs;
use std::path::Path;

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::LogStore;

use crate::files::{copy, open, segments};

/// Appends `count` events of about 1 KiB.
async fn fill(store: &LogStore, conversation: &str, count: u64) {
    let head = store.head(conversation).await.unwrap();
    let batch = (0..count).map(|n| Event::user(format!("{n} ").repeat(250)).into()).collect();
    store.append(conversation, head, batch).await.unwrap();
}

/// Rewrites the first segment as often as that in a copy of the store, and puts the file beside the
/// segment's file in the store.
async fn leave(store: &LogStore, times: u64) {
    let dir = store.dir();
    let other = copy(dir);
    let copied = open(other.path()).await.unwrap();
    for time in 0..times {
        for store in [store, &copied] {
            store.delete(&format!("small {time}"), 1).await.unwrap();
        }
        copied.compact().await.unwrap();
    }
    let file = segments(other.path()).remove(0);
    assert!(file.to_str().unwrap().contains(&format!("00000001.{times}-")), "{file:?}");
    fs::copy(other.path().join(&file), dir.join(&file)).unwrap();
}

/// A store of two segments, which is open.
async fn filled(dir: &Path) -> LogStore {
    let store = open(dir).await.unwrap();
    for time in 0..2 {
        fill(&store, &format!("small {time}"), 1).await;
    }
    fill(&store, "kept", 900).await;
    fill(&store, "gone", 2_500).await;
    fill(&store, "next", 600).await;
    assert_eq!(segments(dir).len(), 2);
    store
}

#[tokio::test]
async fn new_segment_begins_beside_the_leftover() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(dir.path()).await;
    let before = store.read("kept", 1..=u64::MAX).await.unwrap();
    leave(&store, 1).await;
    fill(&store, "next", 3_600).await;
    assert_eq!(segments(dir.path()).len(), 4, "three segments, and what was left");
    for store in [&store, &open(dir.path()).await.unwrap()] {
        assert!(store.read("kept", 1..=u64::MAX).await.unwrap() == before);
        assert_eq!(store.verify().await.unwrap().damage, []);
    }
}

/// Otherwise some would read the remains, and the record of the deletion would be gone.
#[tokio::test]
async fn segment_is_rewritten_from_live_entries() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(dir.path()).await;
    let before = store.read("kept", 1..=u64::MAX).await.unwrap();
    leave(&store, 2).await;
    // Most of the first segment no longer counts.
    store.delete("gone", 2_500).await.unwrap();
    assert_eq!(segments(dir.path()).len(), 2, "it was rewritten, and nothing older is there");
    // Most of the second segment no longer counts, and the record of the deletion is there.
    fill(&store, "junk", 2_500).await;
    fill(&store, "more", 900).await;
    store.delete("junk", 2_500).await.unwrap();
    for store in [&store, &open(dir.path()).await.unwrap()] {
        assert_eq!(store.head("gone").await.unwrap(), 0);
        assert!(store.read("kept", 1..=u64::MAX).await.unwrap() == before);
        assert_eq!(store.verify().await.unwrap().damage, []);
    }
}

/// A reader that was slow to look which segments there are has a mark from before the last of them.
#[tokio::test]
async fn mark_before_the_last_segment_is_fine() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await.unwrap();
    fill(&store, "c", 1).await;
    let mark = fs::read(dir.path().join("MARK")).unwrap();
    fill(&store, "c", 1).await;
    store.put("s", "k", 0, vec![7; 5 << 20]).await.unwrap();
    fill(&store, "c", 1).await;
    assert!(segments(dir.path()).len() > 1);
    drop(store);
    fs::write(dir.path().join("MARK"), mark).unwrap();
    let store = open(dir.path()).await.unwrap();
    assert_eq!(store.known_damage().await.unwrap(), []);
    assert_eq!(store.head("c").await.unwrap(), 1);
}
