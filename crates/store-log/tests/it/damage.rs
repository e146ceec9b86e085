//! Files that are gone, shortened or partly zeros: it is named, the rest can be read, and appends
//! continue.

use std::fs;
use std::path::Path;

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};

use crate::chance::Chance;
use crate::files::{copy, files, filled, losses, open, segments, snapshot};
use crate::process::{rounds, say_tried};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damaged_files_are_named_and_rest_is_readable() {
    let model = filled().await;
    let mut chance = Chance::new(silcrow_testkit::run_seed());
    let (mut lost, mut tried) = (0, 0);
    for round in 0..rounds("SILCROW_DAMAGES", 2) {
        for name in segments(model.path()) {
            let folder = copy(model.path());
            let path = folder.path().join(&name);
            let mut bytes = fs::read(&path).unwrap();
            let at = chance.below((bytes.len() as u64).min(70_000)) as usize;
            if round % 2 == 0 {
                let end = bytes.len().min(at + PAGE);
                bytes[at..end].fill(0);
            } else {
                bytes.truncate(at);
            }
            fs::write(&path, &bytes).unwrap();
            lost += checked(folder.path(), &format!("{name:?}, byte {at}, {round}")).await;
            tried += 1;
        }
    }
    say_tried(&format!("{tried} places, {lost} events or values were lost"));
    assert!(lost > 2, "only {lost} events were lost");
}

/// This only costs the contents of the segment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_segment_is_named() {
    let model = filled().await;
    let mut lost = 0;
    for name in segments(model.path()) {
        let folder = copy(model.path());
        fs::remove_file(folder.path().join(&name)).unwrap();
        let report = open(folder.path()).await.unwrap().verify().await.unwrap();
        let number = &name.to_str().unwrap()["log/".len()..][..8];
        let told = format!("{report:?}");
        assert!(told.contains(number) && told.contains("the file is missing"), "{told}");
        lost += checked(folder.path(), &format!("{name:?} removed")).await;
    }
    assert!(lost > 60, "only {lost} events were lost");
}

/// None of these has data that the segments lack.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_files_may_be_lost_or_overwritten() {
    let model = filled().await;
    for name in ["FORMAT", "MARK", "LOCK"] {
        for left in [None, Some(&[][..]), Some(&[0xA5; 100])] {
            let folder = copy(model.path());
            let path = folder.path().join(name);
            match left {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
            let lost = checked(folder.path(), &format!("{name} {left:?}")).await;
            assert_eq!(lost, 0, "{name} {left:?}");
            let names = files(folder.path());
            for name in ["FORMAT", "MARK", "LOCK"] {
                assert!(names.contains(&name.into()), "{name} is not there again");
            }
        }
    }
    let folder = copy(model.path());
    for name in ["FORMAT", "MARK", "LOCK"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert_eq!(checked(folder.path(), "all removed").await, 0);
}

/// A copy by a person during a write has an earlier mark, or none, or a torn end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copy_with_earlier_mark_loses_nothing() {
    let model = tempfile::tempdir().unwrap();
    let store = open(model.path()).await.unwrap();
    let mut marks = Vec::new();
    for head in 0..8 {
        if head == 3 || head == 6 {
            // This begins a new segment.
            store.put("s", "k", head / 4, vec![7; 4 << 20]).await.unwrap();
        }
        let event = Event::user(format!("{} ", head + 1).repeat(20)).into();
        store.append("c", head, vec![event]).await.unwrap();
        marks.push(fs::read(model.path().join("MARK")).unwrap());
    }
    drop(store);
    for (mark, known) in marks.iter().zip(1..) {
        let folder = copy(model.path());
        fs::write(folder.path().join("MARK"), mark).unwrap();
        let store = open(folder.path()).await.unwrap();
        // The first attempt may find more than the mark said.
        let mut head = store.head("c").await.unwrap();
        assert!((known..=8).contains(&head));
        for _ in 0..2 {
            match store.append("c", head, vec![Event::user("more").into()]).await {
                Ok(_) => {}
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
            }
            head = store.head("c").await.unwrap();
        }
        let store = open(folder.path()).await.unwrap();
        let entries = store.read("c", 1..=u64::MAX).await.unwrap();
        let texts: Vec<_> = entries.iter().map(|entry| text(&entry.event)).collect();
        assert_eq!(texts[..8], ["1", "2", "3", "4", "5", "6", "7", "8"], "mark {known}");
        assert!(texts.len() > 8 && texts[8..].iter().all(|text| *text == "more"), "{texts:?}");
        assert!(store.verify().await.unwrap().damage.is_empty(), "mark {known}");
    }
}

/// Somebody tidies up while two stores are open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mark_removed_under_open_stores_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (open(dir.path()).await.unwrap(), open(dir.path()).await.unwrap());
    let event = |text: &str| vec![Event::user(text).into()];
    one.append("a", 0, event("1")).await.unwrap();
    other.append("b", 0, event("1")).await.unwrap();
    for head in 1..4 {
        fs::remove_file(dir.path().join("MARK")).unwrap();
        let third = open(dir.path()).await.unwrap();
        third.append("c", head - 1, event("x")).await.unwrap();
        assert_eq!(one.head("c").await.unwrap(), head, "what others write is seen");
        one.append("a", head, event("x")).await.unwrap();
        other.append("b", head, event("x")).await.unwrap();
        assert_eq!(one.head("b").await.unwrap(), head + 1);
    }
    let last = open(dir.path()).await.unwrap();
    for (name, head) in [("a", 4), ("b", 4), ("c", 3)] {
        assert_eq!(last.read(name, 1..=9).await.unwrap().len(), head, "{name}");
    }
    assert!(last.verify().await.unwrap().damage.is_empty());
}

fn text(event: &Event) -> &str {
    match event {
        Event::User { content, .. } => content.as_text().unwrap().split(' ').next().unwrap(),
        _ => panic!("there are only prompts"),
    }
}

/// Opens and reads a store, which writes nothing, then appends to it. Returns the amount of lost
/// data.
async fn checked(dir: &Path, what: &str) -> usize {
    let before = snapshot(dir);
    let lost = losses(dir).await.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(snapshot(dir), before, "{what}: something was written");
    let store = open(dir).await.unwrap();
    for position in 0..3 {
        let event = Event::user("x".repeat(40 * position as usize)).into();
        store.append("new", position, vec![event]).await.unwrap();
    }
    let head = store.head("log 0").await.unwrap();
    store.append("log 0", head, vec![Event::user("more").into()]).await.unwrap();
    drop(store);
    let store = open(dir).await.unwrap();
    assert_eq!(store.read("new", 1..=9).await.unwrap().len(), 3, "{what}");
    let more = store.read("log 0", head + 1..=head + 1).await.unwrap();
    assert_eq!(more[0].event, Event::user("more"), "{what}");
    lost.len()
}

/// A page of a file, in bytes.
const PAGE: usize = 4_096;
