//! Imports into a store that is not empty.

use silcrow_event::Event;
use silcrow_store::transfer::{Provenance, export, import};
use silcrow_store::{ErrorKind, MemoryStore, Store as _};

/// Returns a store whose conversation `c` has this many events.
async fn holding(events: u64) -> MemoryStore {
    let store = MemoryStore::new();
    let said = (1..=events).map(|number| Event::user(number.to_string()).into());
    store.append("c", 0, said.collect()).await.unwrap();
    store
}

async fn exported(store: &MemoryStore) -> String {
    let mut out = Vec::new();
    export(store, None, &mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

/// The lengths are around the number of events that are appended at once.
#[tokio::test]
async fn a_later_export_continues_a_conversation() {
    for (there, comes) in [(1, 3), (255, 257), (256, 600), (300, 600), (3, 1)] {
        let (store, later) = (holding(there).await, holding(comes).await);
        import(&store, &mut exported(&later).await.as_bytes(), Provenance::Own).await.unwrap();
        let longer = if there > comes { holding(there).await } else { later };
        assert_eq!(exported(&store).await, exported(&longer).await, "{there} and {comes}");
    }
}

#[tokio::test]
async fn a_difference_is_named_and_left() {
    let store = holding(2).await;
    store.put("s", "k", 0, vec![1]).await.unwrap();
    let before = exported(&store).await;
    let other = MemoryStore::new();
    other.append("c", 0, vec![Event::user("1").into(), Event::user("x").into()]).await.unwrap();
    other.append("c", 2, vec![Event::user("3").into()]).await.unwrap();
    let value = "{\"silcrow\":\"export 1\"}\n{\"space\":\"s\",\"key\":\"k\",\"text\":\"v\"}\n";
    for (lines, named) in
        [(exported(&other).await, "conversation \"c\" is"), (value.to_owned(), "\"k\" in \"s\" is")]
    {
        let error = import(&store, &mut lines.as_bytes(), Provenance::Own).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(error.to_string().contains(named), "{error}");
        assert_eq!(exported(&store).await, before);
    }
}

#[tokio::test]
async fn everything_before_a_wrong_line_is_imported() {
    let store = MemoryStore::new();
    let lines = exported(&holding(3).await).await + "{\"wrong\":1}\n";
    let error = import(&store, &mut lines.as_bytes(), Provenance::Own).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("before it was imported"), "{error}");
    assert_eq!(store.head("c").await.unwrap(), 3);
}

#[tokio::test]
async fn a_first_line_without_end_is_rejected() {
    let mut endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let error = import(&MemoryStore::new(), &mut endless, Provenance::Own).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("line 1 does not belong to an export"), "{error}");
}

/// Data that can be derived from a log is neither written nor believed.
#[tokio::test]
async fn checkpoints_are_not_moved() {
    let other = holding(1).await;
    other.put("checkpoint/c", "log", 0, Vec::new()).await.unwrap();
    let text = exported(&other).await;
    assert!(!text.contains("checkpoint"), "{text}");
    let forged =
        format!("{text}{{\"space\":\"checkpoint/c\",\"key\":\"log\",\"text\":\"{{}}\"}}\n");
    let store = MemoryStore::new();
    let moved = import(&store, &mut forged.as_bytes(), Provenance::Own).await.unwrap();
    assert_eq!((moved.values, moved.left_out), (0, 1));
    assert!(store.get("checkpoint/c", "log").await.unwrap().is_none());
}

/// The author of an export cannot grant permissions for the person who imports it.
#[tokio::test]
async fn permissions_are_not_imported() {
    let other = holding(1).await;
    for space in ["granted/c", "started/c", "granted", "grantedly/c"] {
        other.put(space, "k", 0, Vec::new()).await.unwrap();
    }
    let store = MemoryStore::new();
    let moved =
        import(&store, &mut exported(&other).await.as_bytes(), Provenance::Own).await.unwrap();
    assert_eq!((moved.values, moved.left_out), (3, 1));
    assert!(store.get("granted/c", "k").await.unwrap().is_none());
    assert!(store.get("started/c", "k").await.unwrap().is_some());
}
