//! A conversation that is followed while it grows, and while it is removed.

use std::sync::atomic::{AtomicBool, Ordering};

use silcrow_event::{Entry, Event};
use silcrow_history::{ConversationFollower, ErrorKind, FollowedEvent};
use silcrow_store::{MemoryStore, Store as _};

fn text(event: &FollowedEvent) -> String {
    match event {
        FollowedEvent::Entry(entry) => silcrow_history::entry_text(entry),
        FollowedEvent::Waiting => "waits".to_owned(),
        other => format!("{other:?}"),
    }
}

fn said(text: &str) -> Vec<Entry> {
    vec![Event::respond(text).into()]
}

#[tokio::test(start_paused = true)]
async fn events_are_ordered_and_pauses_reported_once() {
    let store = MemoryStore::new();
    let mut follower = ConversationFollower::new(&store, "c1");
    // A conversation may be yet to begin.
    assert_eq!(text(&follower.next().await.unwrap()), "waits");
    store.append("c1", 0, said("one")).await.unwrap();
    assert_eq!(text(&follower.next().await.unwrap()), "one");
    assert_eq!(text(&follower.next().await.unwrap()), "waits");
    let next = async {
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        store.append("c1", 1, [said("two"), said("three")].concat()).await.unwrap();
    };
    let (event, ()) = tokio::join!(follower.next(), next);
    assert_eq!(text(&event.unwrap()), "two");
    assert_eq!(text(&follower.next().await.unwrap()), "three");
}

/// A title or the run of a hook may follow the answer.
#[tokio::test(start_paused = true)]
async fn entries_beside_runs_do_not_hide_ends() {
    let store = MemoryStore::new();
    let events = [said("one"), vec![Event::title("sums").into()]].concat();
    store.append("c1", 0, events).await.unwrap();
    let mut follower = ConversationFollower::new(&store, "c1");
    let shown = [follower.next().await, follower.next().await, follower.next().await];
    assert_eq!(shown.map(|event| text(&event.unwrap())), ["one", "sums", "waits"]);
}

/// A call shows that a run continues.
#[tokio::test(start_paused = true)]
async fn working_run_reports_no_pause() {
    let store = MemoryStore::new();
    store.append("c1", 0, vec![Event::user("go").into()]).await.unwrap();
    let mut follower = ConversationFollower::new(&store, "c1");
    assert_eq!(text(&follower.next().await.unwrap()), "go");
    let waited = std::time::Duration::from_secs(60);
    assert!(tokio::time::timeout(waited, follower.next()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn removed_conversation_is_not_confused_with_its_successor() {
    let store = MemoryStore::new();
    store.append("c1", 0, said("one")).await.unwrap();
    let mut follower = ConversationFollower::new(&store, "c1");
    assert_eq!(text(&follower.next().await.unwrap()), "one");
    store.delete("c1", 1).await.unwrap();
    store.append("c1", 0, [said("other"), said("more")].concat()).await.unwrap();
    let error = follower.next().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Removed);
    assert!(error.to_string().contains("was removed meanwhile"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn replaced_store_ends_following() {
    let (store, is_there) = (MemoryStore::new(), AtomicBool::new(true));
    let mut follower =
        ConversationFollower::new(&store, "c1").with_check(|| is_there.load(Ordering::Relaxed));
    assert_eq!(text(&follower.next().await.unwrap()), "waits");
    is_there.store(false, Ordering::Relaxed);
    assert_eq!(follower.next().await.unwrap_err().kind(), ErrorKind::Removed);
}
