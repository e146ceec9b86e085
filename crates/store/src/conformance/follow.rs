//! Checks of `follow`.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use futures_util::stream::{BoxStream, StreamExt as _};
use silcrow_event as event;

use super::sample::batch;
use super::{append, must, must_equal, placed};
use crate::error::Error;
use crate::store::Store;

/// A follower gets old and new entries in order, while a writer appends and another log grows as
/// well.
pub(super) async fn grows(store: Arc<dyn Store>) {
    append(&*store, "c", 0, batch(0..BEFORE)).await;
    let early = store.follow("c", 0);
    let writer = tokio::spawn(write(Arc::clone(&store)));
    let late = store.follow("c", 0);
    let middle = store.follow("c", 40);
    let all = placed(0, batch(0..BEFORE + AFTER));
    tokio::join!(must_give(early, &all), must_give(late, &all), must_give(middle, &all[40..]),);
    if let Err(error) = writer.await {
        std::panic::resume_unwind(error.into_panic());
    }
}

/// A follower waits at the end, even of a log that does not exist yet, and continues after another
/// follower has left.
pub(super) async fn from(store: Arc<dyn Store>) {
    let mut unknown = store.follow("c", 0);
    let mut ahead = store.follow("c", 3);
    let mut leaves = store.follow("c", 0);
    for stream in [&mut unknown, &mut ahead, &mut leaves] {
        must_wait(stream).await;
    }
    append(&*store, "other", 0, batch(50..60)).await;
    append(&*store, "c", 0, batch(0..2)).await;
    must_give(unknown, &placed(0, batch(0..2))).await;
    must_give(leaves, &placed(0, batch(0..1))).await;
    must_wait(&mut ahead).await;
    append(&*store, "c", 2, batch(2..6)).await;
    let all = placed(0, batch(0..6));
    must_give(ahead, &all[3..]).await;
    must_give(store.follow("c", 5), &all[5..]).await;
    must_wait(&mut store.follow("c", 6)).await;
    must_wait(&mut store.follow("c", u64::MAX)).await;
}

/// Appends batches of 1 to 5 entries, each to the log that is followed and to another.
async fn write(store: Arc<dyn Store>) {
    let (mut at, mut size) = (BEFORE, 1);
    while at < BEFORE + AFTER {
        let end = (at + size).min(BEFORE + AFTER);
        append(&*store, "c", at as u64, batch(at..end)).await;
        append(&*store, "other", (at - BEFORE) as u64, batch(at..end)).await;
        (at, size) = (end, size % 5 + 1);
        tokio::task::yield_now().await;
    }
}

async fn must_give(
    mut stream: BoxStream<'_, Result<event::Entry, Error>>,
    wanted: &[event::Entry],
) {
    for wanted in wanted {
        let place = wanted.seq.expect("it is placed");
        let Some(next) = stream.next().await else {
            panic!("following must not end; it did before position {place}");
        };
        let next = must("following", next);
        assert_eq!(
            next.seq,
            Some(place),
            "following skipped or repeated something: position {place} comes next, not {:?}",
            next.seq
        );
        must_equal(&[next], std::slice::from_ref(wanted));
    }
}

/// Asserts that a stream whose next entry does not exist yet waits: it returns nothing and does not
/// end.
async fn must_wait(stream: &mut BoxStream<'_, Result<event::Entry, Error>>) {
    for _ in 0..10 {
        let polled = poll_fn(|context| Poll::Ready(stream.poll_next_unpin(context))).await;
        assert!(polled.is_pending(), "a follower at the end must wait, but got {polled:?}");
        tokio::task::yield_now().await;
    }
}

const BEFORE: usize = 100;
const AFTER: usize = 200;
