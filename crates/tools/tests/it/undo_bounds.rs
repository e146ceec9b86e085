//! The limits on kept contents of changed files, by size and by time.

use std::fs::{self, File};
use std::time::Duration;

use silcrow_tools::{ChangeJournal, ChangeLimits, UndoRequest};

use crate::undo::{Journaled, told};

fn limited(limit: impl FnOnce(&mut ChangeLimits)) -> Journaled {
    let mut limits = ChangeLimits::default();
    limit(&mut limits);
    let Journaled { place, journal } = Journaled::new();
    Journaled { place, journal: journal.with_limits(limits) }
}

#[tokio::test]
async fn too_long_content_is_not_undone() {
    let it = limited(|limits| limits.file_bytes = 3);
    it.place.put("long.txt", "long").put("a.txt", "old");
    it.write("c", 1, "long.txt", "new").await;
    it.write("c", 1, "a.txt", "new").await;
    let report = it.undo(&UndoRequest::new("c"));
    assert_eq!((report.files.len(), &*report.refusals[0].path), (0, "long.txt"));
    assert!(report.refusals[0].why.contains("not kept"), "{report:?}");
}

#[tokio::test]
async fn oldest_contents_make_room() {
    let it = limited(|limits| limits.total_bytes = 20_000);
    let content = |number: u32| format!("{number}").repeat(3_000);
    it.place.put("a.txt", content(10));
    for number in 0..10 {
        it.write("c", number, "a.txt", &content(number)).await;
    }
    let total: u64 = it.records().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(total <= 20_000, "{total}");
    assert!(it.undo(&UndoRequest::new("c")).files.is_empty());
    let last = UndoRequest::new("c").with_turns(8..=9);
    assert_eq!(told(&it.undo(&last)), ["restored a.txt"]);
    assert_eq!(it.place.get("a.txt"), content(7));
}

#[tokio::test]
async fn old_records_are_removed() {
    let it = Journaled::new();
    it.write("c", 1, "a.txt", "one").await;
    let file = File::options().write(true).open(&it.records()[0]).unwrap();
    let made = file.metadata().unwrap().modified().unwrap();
    file.set_modified(made - Duration::from_secs(31 * 24 * 60 * 60)).unwrap();
    // A new process counts.
    let journal = ChangeJournal::new(it.place.outer.path().join("changes"));
    let it = Journaled { journal, ..it };
    it.write("c", 2, "b.txt", "two").await;
    assert_eq!(it.records().len(), 1);
    assert_eq!(told(&it.undo(&UndoRequest::new("c"))), ["removed b.txt"]);
}
