//! Followers of a log, and the heads that they wait for.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use futures_util::StreamExt as _;
use silcrow_event::{Entry, Event};
use silcrow_store::{HeadWatchers, MemoryStore, Store as _};

use crate::wrappers::Noted;

/// An older head does not move a follower backwards, and a repeated one does not wake it.
#[tokio::test]
async fn heads_only_grow() {
    let (store, heads) = (MemoryStore::new(), HeadWatchers::default());
    let mut follow = heads.follow(&store, "c", 0);
    let mut context = Context::from_waker(Waker::noop());
    assert!(follow.poll_next_unpin(&mut context).is_pending());
    let batch: Vec<Entry> = vec![Event::user("1").into(), Event::user("2").into()];
    store.append("c", 0, batch).await.unwrap();
    heads.publish("c", 2);
    heads.publish("c", 1);
    for position in [1, 2] {
        let next = pin!(follow.next()).await.unwrap().unwrap();
        assert_eq!(next.seq, Some(position));
    }
    assert!(matches!(follow.poll_next_unpin(&mut context), Poll::Pending));
}

/// Events that others add after a follower has found nothing, and before it asks for the length of
/// the log, are not mistaken for events that the store has lost, even if they fill more than a
/// page.
#[tokio::test]
async fn growing_log_is_followed_without_a_gap() {
    let (store, heads) = (Noted::default(), HeadWatchers::default());
    let added = (0..200).map(|n| Event::user(format!("{n}")).into()).collect();
    *store.added_before_head.lock().unwrap() = added;
    let mut follow = heads.follow(&store, "c", 0);
    for position in 1..=200 {
        let next = follow.next().await.unwrap().unwrap();
        assert_eq!(next.seq, Some(position));
    }
}

/// A server follows many conversations; nothing remains of them afterwards.
#[tokio::test]
async fn a_dropped_follower_leaves_nothing() {
    let (store, heads) = (MemoryStore::new(), HeadWatchers::default());
    let empty = format!("{heads:?}");
    for number in 0..100 {
        let conversation = format!("c{number}");
        let first = heads.follow(&store, &conversation, 0);
        let second = heads.follow(&store, &conversation, 0);
        assert_ne!(format!("{heads:?}"), empty);
        drop(first);
        drop(second);
    }
    assert_eq!(format!("{heads:?}"), empty);
}
