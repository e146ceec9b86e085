//! Functions over a whole store, which hold a page of a conversation at a time.

use silcrow_event::{Entry, Event};
use silcrow_store::search::{self, Query};
use silcrow_store::transfer::{Provenance, export, import};
use silcrow_store::{Store as _, verify};

use crate::wrappers::Noted;

/// The number of events of the conversation.
const EVENTS: u64 = 2_000;

/// The most events that may be in memory at once.
const PAGE: u64 = 256;

/// Returns the number of events in each call of this name since the last time, and forgets them.
fn sizes(store: &Noted, name: &str) -> Vec<u64> {
    let calls = std::mem::take(&mut *store.calls.lock().unwrap());
    let sizes = calls.iter().filter_map(|call| {
        // `read c 1..=64` or `append c 0 256`.
        let mut words = call.split(' ');
        let last = words.next().filter(|first| *first == name).and_then(|_| words.next_back())?;
        Some(match last.split_once("..=") {
            Some((first, last)) => last.parse::<u64>().unwrap() + 1 - first.parse::<u64>().unwrap(),
            None => last.parse().unwrap(),
        })
    });
    sizes.collect()
}

#[tokio::test]
async fn whole_store_is_read_in_pages() {
    let store = Noted::default();
    let log: Vec<Entry> = (0..EVENTS).map(|n| Event::user(format!("line {n}")).into()).collect();
    store.append("c", 0, log).await.unwrap();
    sizes(&store, "append");

    let report = verify::read_all(&store).await.unwrap();
    assert_eq!(report.events, EVENTS);
    let verified = sizes(&store, "read");

    let mut lines = Vec::new();
    export(&store, None, &mut lines).await.unwrap();
    let exported = sizes(&store, "read");

    let query = Query { words: "line".to_owned(), ..Query::default() };
    assert_eq!(search::read_all(&store, &query).await.unwrap().len(), 10);
    let searched = sizes(&store, "read");

    for (name, pages) in [("verify", verified), ("export", exported), ("search", searched)] {
        // A page may begin with the last event of the one before.
        assert!(pages.iter().all(|page| *page <= PAGE + 1), "{name}: {pages:?}");
        assert!(pages.iter().sum::<u64>() >= EVENTS, "{name}: {pages:?}");
    }

    let other = Noted::default();
    import(&other, &mut &*lines, Provenance::Own).await.unwrap();
    let imported = sizes(&other, "append");
    assert!(imported.iter().all(|batch| *batch <= PAGE), "{imported:?}");
    assert_eq!(imported.iter().sum::<u64>(), EVENTS);
}
