//! Segments that this store did not write.

use std::fs;
use std::path::{Path, PathBuf};

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::files::{copy, segments};

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

/// A store of three segments, with a conversation, and a value that has been replaced.
async fn store(words: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    store.append("c", 0, vec![Event::user(words).into()]).await.unwrap();
    store.put("s", "k", 0, b"first".to_vec()).await.unwrap();
    // A long value has a separate segment.
    store.put("s", "long", 0, vec![7; 4 << 20]).await.unwrap();
    store.append("c", 1, vec![Event::user(words).into()]).await.unwrap();
    store.put("s", "k", 1, b"second".to_vec()).await.unwrap();
    drop(store);
    assert_eq!(segments(dir.path()).len(), 3);
    dir
}

fn segment(dir: &Path, number: usize) -> PathBuf {
    dir.join(&segments(dir)[number - 1])
}

/// Checks that foreign segments are named, that nothing in them is believed, and that a repaired
/// store has the rest.
async fn check(dir: &Path, what: &str, events: &[u64]) {
    for is_first in [true, false] {
        let there = open(dir).await;
        let report = there.verify().await.unwrap();
        let named = format!("{:?}", report.damage);
        assert!(named.contains("of another store, or a copy"), "{what}: {named}");
        assert!(!there.known_damage().await.unwrap().is_empty(), "{what}");
        let mut read = Vec::new();
        for position in 1..=there.head("c").await.unwrap() {
            let entries = there.read("c", position..=position).await;
            for entry in entries.unwrap_or_default() {
                assert_eq!(entry.event, Event::user("ours"), "{what}");
                read.push(entry.seq.unwrap());
            }
        }
        assert_eq!(read, events, "{what}");
        if is_first {
            // Writers continue elsewhere.
            let expected = there.head("new").await.unwrap();
            there.append("new", expected, vec![Event::user("new").into()]).await.unwrap();
        }
    }
    open(dir).await.mend().await.unwrap();
    let mended = open(dir).await;
    assert_eq!(mended.verify().await.unwrap().damage, [], "{what}");
    assert_eq!(mended.head("new").await.unwrap(), 1, "{what}");
    let read = mended.read("c", 1..=u64::MAX).await.unwrap();
    assert!(read.iter().all(|entry| entry.event == Event::user("ours")), "{what}: {read:?}");
}

#[tokio::test]
async fn a_segment_of_another_store_is_not_believed() {
    let (ours, theirs) = (store("ours").await, store("theirs").await);
    for number in [1, 3] {
        let dir = copy(ours.path());
        let name = segment(theirs.path(), number).file_name().unwrap().to_owned();
        let place = segment(dir.path(), number);
        fs::copy(segment(theirs.path(), number), place.with_file_name(name)).unwrap();
        fs::remove_file(place).unwrap();
        let rest = if number == 1 { &[2][..] } else { &[1] };
        check(dir.path(), &format!("segment {number}"), rest).await;
    }
    // Nor one after all of ours, which a writer finds.
    let dir = copy(ours.path());
    let name = segment(theirs.path(), 1).file_name().unwrap().to_str().unwrap().to_owned();
    let name = name.replace("00000001", "00000004");
    fs::copy(segment(theirs.path(), 1), dir.path().join("log").join(name)).unwrap();
    let there = open(dir.path()).await;
    there.append("c", 2, vec![Event::user("ours").into()]).await.unwrap();
    check(dir.path(), "segment 4", &[1, 2, 3]).await;
}

#[tokio::test]
async fn a_copy_under_another_name_is_not_believed() {
    let ours = store("ours").await;
    // In the place of another segment, and as a later version of itself.
    let dir = copy(ours.path());
    let (first, third) = (segment(dir.path(), 1), segment(dir.path(), 3));
    let name = first.file_name().unwrap().to_str().unwrap().to_owned();
    let name = name.replace("00000001.", "00000003.");
    fs::copy(&first, first.with_file_name(name)).unwrap();
    fs::remove_file(third).unwrap();
    check(dir.path(), "the first as the third", &[1]).await;

    let dir = copy(ours.path());
    for number in [1, 3] {
        let path = segment(ours.path(), number);
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = format!("00000001.{}{}", 6 + number, &name["00000001.0".len()..]);
        fs::copy(&path, dir.path().join("log").join(name)).unwrap();
    }
    let there = open(dir.path()).await;
    assert_eq!(there.verify().await.unwrap().damage, [], "the file of the segment counts");
    assert_eq!(there.read("c", 1..=2).await.unwrap().len(), 2);
}

/// Without the file the segments say which store it is.
#[tokio::test]
async fn a_lost_identity_is_found_in_the_segments() {
    let (ours, theirs) = (store("ours").await, store("theirs").await);
    let identity = fs::read(ours.path().join("IDENTITY")).unwrap();
    assert_ne!(identity, fs::read(theirs.path().join("IDENTITY")).unwrap());
    for damaged in [None, Some(&b"nonsense"[..])] {
        let dir = copy(ours.path());
        match damaged {
            None => fs::remove_file(dir.path().join("IDENTITY")).unwrap(),
            Some(bytes) => fs::write(dir.path().join("IDENTITY"), bytes).unwrap(),
        }
        let there = open(dir.path()).await;
        assert_eq!(there.verify().await.unwrap().damage, []);
        there.append("c", 2, vec![Event::user("ours").into()]).await.unwrap();
        assert_eq!(fs::read(dir.path().join("IDENTITY")).unwrap(), identity);
    }
}

/// A segment that an earlier version made names no store. It is read, and additions to the store
/// name it.
#[tokio::test]
async fn the_segments_of_an_earlier_version_are_read() {
    let earlier = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stores/without-folders");
    let dir = copy(&earlier);
    let there = open(dir.path()).await;
    let head = there.head("talk").await.unwrap();
    there.append("talk", head, vec![Event::user("on").into()]).await.unwrap();
    there.put("s", "long", 0, vec![7; 4 << 20]).await.unwrap();
    assert_eq!(segments(dir.path()).len(), 2);
    there.compact().await.unwrap();
    assert_eq!(open(dir.path()).await.head("talk").await.unwrap(), head + 1);
    assert_eq!(open(dir.path()).await.verify().await.unwrap().damage, []);
    assert!(dir.path().join("IDENTITY").exists());
}
