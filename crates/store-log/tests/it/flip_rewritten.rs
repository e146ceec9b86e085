//! A bit that is flipped in a segment after it was read and before it is rewritten.

use std::fs;
use std::path::Path;

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};

use crate::files::{open, segments};

#[tokio::test]
async fn rewritten_segment_loses_one_event_at_most() {
    // The beginning of the segment, headers and bodies of the first and the last event, and others.
    for (byte, bit) in [(0, 1), (7, 0), (17, 5), (30, 2), (60, 3), (90, 7), (400, 1), (-1, 0)] {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path()).await.unwrap();
        let batch = |texts: &[&str]| texts.iter().map(|text| Event::user(*text).into()).collect();
        store.append("kept", 0, batch(&["one", "two", "three"])).await.unwrap();
        store.append("gone", 0, batch(&["long ".repeat(600_000).as_str()])).await.unwrap();
        store.append("kept", 3, batch(&["four"])).await.unwrap();
        store.put("s", "k", 0, vec![7; 4 << 20]).await.unwrap();
        flip(&dir.path().join(&segments(dir.path())[0]), byte, bit);
        store.delete("gone", 1).await.unwrap();
        store.compact().await.unwrap();
        drop(store);

        let store = open(dir.path()).await.unwrap();
        assert_eq!(store.head("kept").await.unwrap(), 4, "byte {byte}");
        let mut lost = 0;
        for (text, position) in ["one", "two", "three", "four"].into_iter().zip(1..) {
            match store.read("kept", position..=position).await {
                Ok(entries) => assert_eq!(entries[0].event, Event::user(text), "byte {byte}"),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Damaged, "byte {byte}: {error}");
                    lost += 1;
                }
            }
        }
        let damage = store.verify().await.unwrap().damage;
        assert!(lost <= 1 && lost <= damage.len(), "byte {byte}: {lost} lost, {damage:?}");
        assert_eq!(store.head("gone").await.unwrap(), 0, "byte {byte}: a deletion is lost");
    }
}

/// Flips a bit; `-1` is the last byte that is not zero.
fn flip(path: &Path, byte: isize, bit: u8) {
    let mut bytes = fs::read(path).unwrap();
    let last = bytes.iter().rposition(|&byte| byte != 0).unwrap();
    bytes[usize::try_from(byte).unwrap_or(last)] ^= 1 << bit;
    fs::write(path, bytes).unwrap();
}
