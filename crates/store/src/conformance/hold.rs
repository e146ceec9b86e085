//! Checks of `hold`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::sleep;

use super::sample::batch;
use super::{append, must, must_fail, must_hold};
use crate::error::{Error, ErrorKind};
use crate::hold::Hold;
use crate::store::Store;

/// One run after the other holds a conversation, and writes to it as without a hold.
pub(super) async fn again(store: Arc<dyn Store>) {
    let hold = must("holding an unknown conversation", store.hold("c").await);
    let other = must("holding another conversation meanwhile", store.hold("c/1/a1").await);
    let list = must("listing", store.list(None).await);
    assert!(list.is_empty(), "a hold must not make a conversation: {list:?}");
    let mut kept = append(&*store, "c", 0, batch(0..2)).await;
    must("putting", store.put("started/c", "1/a1", 0, vec![]).await);
    must_fail("a put over a version that is not there", ErrorKind::Conflict, {
        store.put("started/c", "1/a1", 0, vec![]).await
    });
    must_fail("an append at an old head", ErrorKind::Conflict, {
        store.append("c", 1, batch(7..9)).await
    });
    assert!(!hold.is_lost(), "nobody took the conversation over");
    hold.release().await;
    other.release().await;

    let hold = must("holding a conversation that was released", store.hold("c").await);
    kept.extend(append(&*store, "c", 2, batch(2..4)).await);
    must("putting", store.put("started/c", "1/a1", 1, vec![1]).await);
    hold.release().await;
    kept.extend(append(&*store, "c", 4, batch(4..5)).await);
    must_hold(&*store, "c", &kept).await;
    let list = must("listing", store.list(None).await);
    assert_eq!(list.len(), 1, "a hold without events leaves no conversation: {list:?}");

    let hold = must("holding a conversation to delete it", store.hold("c").await);
    must("deleting", store.delete("c", 5).await);
    hold.release().await;
    must_hold(&*store, "c", &[]).await;
}

/// A conversation has one run at a time, and others see that it is held.
pub(super) async fn one_at_a_time(store: Arc<dyn Store>) {
    let holds = (0..RUNS).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.hold("c").await })
    });
    let (mut held, mut others) = (Vec::new(), Vec::new());
    for hold in join_all(holds).await {
        match hold.expect("no hold panics") {
            Ok(hold) => held.push(hold),
            Err(error) => others.push(error),
        }
    }
    assert_eq!(held.len(), 1, "of {RUNS} runs at once, one holds the conversation");
    assert!(
        others.iter().all(|error| error.kind() == ErrorKind::Locked),
        "a run that another one keeps out must fail as Locked: {others:?}"
    );
    must_fail("holding a conversation that is held", ErrorKind::Locked, store.hold("c").await);
    must("holding another conversation", store.hold("d").await).release().await;
    // A person's message is stored beside the run.
    append(&*store, "c", 0, batch(0..1)).await;
    // A dropped hold may be released a little later.
    drop(held);
    let again = must("holding a conversation whose hold was dropped", freed(&*store).await);
    let third = store.hold("c").await;
    must_fail("holding a conversation that is held again", ErrorKind::Locked, third);
    again.release().await;
    must("holding a conversation that was released", store.hold("c").await).release().await;
}

/// Holds the conversation as soon as the last hold is gone.
async fn freed(store: &dyn Store) -> Result<Hold, Error> {
    loop {
        match store.hold("c").await {
            Err(error) if error.kind() == ErrorKind::Locked => sleep(LOOK).await,
            held => return held,
        }
    }
}

const RUNS: usize = 8;

const LOOK: Duration = Duration::from_millis(5);
