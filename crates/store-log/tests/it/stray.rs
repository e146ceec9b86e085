//! A file in the folder of the log that has the name of a segment far beyond the last one.

use std::fs;
use std::path::Path;

use silcrow_event::Event;
use silcrow_store::verify::Place;
use silcrow_store::{ErrorKind, Store as _};

use crate::files::{open, segments};

/// A store with two events, a stray file, and no mark of the end of the log.
async fn stray(dir: &Path, name: &str, content: &[u8]) {
    let store = open(dir).await.unwrap();
    let batch = ["one", "two"].map(|text| Event::user(text).into()).into();
    store.append("c", 0, batch).await.unwrap();
    drop(store);
    fs::write(dir.join("log").join(name), content).unwrap();
    fs::remove_file(dir.join("MARK")).unwrap();
}

#[tokio::test]
async fn missing_segments_before_it_are_one_damage() {
    let dir = tempfile::tempdir().unwrap();
    stray(dir.path(), "99999999.0-0123456789abcdef", b"").await;
    let store = open(dir.path()).await.unwrap();
    for _ in 0..2 {
        assert_eq!(store.read("c", 1..=2).await.unwrap().len(), 2);
        let report = store.verify().await.unwrap();
        let places: Vec<_> = report.damage.iter().map(|damage| &damage.place).collect();
        assert_eq!(places, [&Place::Segments { numbers: 2..=99_999_998 }]);
        assert_eq!(places[0].to_string(), "segments 2 to 99999998");
        store.mend().await.unwrap();
        assert!(segments(dir.path()).len() < 10, "mending makes no segments for them");
    }
    store.append("c", 2, vec![Event::user("three").into()]).await.unwrap();
    assert_eq!(open(dir.path()).await.unwrap().head("c").await.unwrap(), 3);
}

#[tokio::test]
async fn greatest_segment_number_is_the_last() {
    let dir = tempfile::tempdir().unwrap();
    // Nothing is written behind incomplete bytes.
    stray(dir.path(), "4294967295.0-0123456789abcdef", b"not finished").await;
    let store = open(dir.path()).await.unwrap();
    assert_eq!(store.read("c", 1..=2).await.unwrap().len(), 2);
    let refused = store.append("c", 2, vec![Event::user("three").into()]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Io);
    assert!(refused.to_string().contains("4294967295; move it and"), "{refused}");
    for name in ["log/4294967295.0-0123456789abcdef", "MARK"] {
        fs::remove_file(dir.path().join(name)).unwrap();
    }
    let store = open(dir.path()).await.unwrap();
    store.append("c", 2, vec![Event::user("three").into()]).await.unwrap();
}
