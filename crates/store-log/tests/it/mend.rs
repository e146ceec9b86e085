//! A damaged log, mended.

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::StreamExt as _;
use silcrow_event::Event;
use silcrow_store::verify::Place;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

/// Two conversations of ten events, in one segment.
async fn filled(dir: &Path) {
    let store = open(dir).await;
    for conversation in ["a", "b"] {
        for n in 0..10_u64 {
            let event = Event::user(format!("event {} of {conversation}", n + 1));
            store.append(conversation, n, vec![event.into()]).await.unwrap();
        }
    }
    store.put("s", "k", 0, b"the first value".to_vec()).await.unwrap();
    // The next segment begins here.
    store.append("c", 0, vec![Event::user("x".repeat(4 << 20)).into()]).await.unwrap();
    store.put("s", "k", 1, b"the second value".to_vec()).await.unwrap();
}

fn segments(dir: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(dir.join("log")).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Changes one bit where `text` is.
fn damage(dir: &Path, text: &str) {
    for path in segments(dir) {
        let mut bytes = fs::read(&path).unwrap();
        let found = bytes.windows(text.len()).position(|part| part == text.as_bytes());
        if let Some(at) = found {
            bytes[at] ^= 1;
            return fs::write(&path, bytes).unwrap();
        }
    }
    panic!("{text:?} is in no segment");
}

fn event(conversation: &str, position: u64) -> Place {
    Place::Events { conversation: conversation.to_owned(), positions: position..=position }
}

#[tokio::test]
async fn mending_names_losses_and_keeps_rest() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    damage(dir.path(), "event 4 of a");
    damage(dir.path(), "the second value");
    let store = open(dir.path()).await;
    let error = store.read("a", 1..=10).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("event 4 of conversation \"a\""), "{error}");
    assert_eq!(store.read("b", 1..=10).await.unwrap().len(), 10);

    let mended = store.mend().await.unwrap();
    let places: Vec<_> = mended.found.damage.iter().map(|damage| damage.place.clone()).collect();
    let value = Place::Value { space: "s".to_owned(), key: "k".to_owned() };
    assert_eq!(places, [event("a", 4), value]);
    let kept = mended.kept.expect("the damaged file is kept");
    assert_eq!(fs::read_dir(kept).unwrap().count(), 2);

    for store in [&store, &open(dir.path()).await] {
        let report = store.verify().await.unwrap();
        assert!(report.damage.is_empty(), "{report:?}");
        assert_eq!(report.lost, [event("a", 4)]);
        let entries = store.read("a", 1..=u64::MAX).await.unwrap();
        let positions: Vec<_> = entries.iter().filter_map(|entry| entry.seq).collect();
        assert_eq!(positions, [1, 2, 3, 5, 6, 7, 8, 9, 10]);
        assert_eq!(store.head("a").await.unwrap(), 10);
        assert_eq!(store.get("s", "k").await.unwrap(), None, "what it was before does not return");
        let followed: Vec<_> = store.follow("a", 2).take(3).collect().await;
        let positions: Vec<_> = followed.into_iter().map(|entry| entry.unwrap().seq).collect();
        assert_eq!(positions, [Some(3), Some(5), Some(6)]);
    }
    // The conversation continues.
    store.append("a", 10, vec![Event::user("more").into()]).await.unwrap();
    assert!(store.verify().await.unwrap().damage.is_empty());
    let again = store.mend().await.unwrap();
    assert_eq!((again.found.damage.len(), again.kept), (0, None));
}

/// A follower passes whole pages of events that are lost.
#[tokio::test]
async fn follower_skips_lost_entries() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    let batch = (1..=300).map(|n| Event::user(format!("event {n} of a")).into()).collect();
    store.append("a", 0, batch).await.unwrap();
    (10..=250).for_each(|n| damage(dir.path(), &format!("event {n} of a")));
    assert_eq!(store.mend().await.unwrap().found.damage.len(), 1);
    let followed: Vec<_> = store.follow("a", 0).take(59).collect().await;
    let positions: Vec<_> = followed.into_iter().map(|entry| entry.unwrap().seq.unwrap()).collect();
    assert_eq!(positions, (1..10).chain(251..=300).collect::<Vec<_>>());
}

#[tokio::test]
async fn mending_works_without_a_lost_segment() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    for n in 0..9 {
        let event = Event::user("x".repeat(1_000_000));
        store.append("a", n, vec![event.into()]).await.unwrap();
    }
    drop(store);
    let files = segments(dir.path());
    assert!(files.len() >= 3, "{files:?}");
    fs::remove_file(&files[1]).unwrap();
    let store = open(dir.path()).await;
    assert!(!store.verify().await.unwrap().damage.is_empty());
    store.mend().await.unwrap();
    let report = store.verify().await.unwrap();
    assert!(report.damage.is_empty(), "{report:?}");
    assert_eq!(report.events + report.lost.len() as u64, 9);
    assert!(report.events >= 4, "{report:?}");
}
