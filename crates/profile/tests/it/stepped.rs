//! A store that waits at each step, so that a test decides the order of events.

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_util::future::BoxFuture;
use silcrow_store::{Error, ErrorKind, MemoryStore, Store};

/// A store in memory that waits once before each step, and fails at one of them.
#[derive(Default)]
pub(crate) struct SteppedStore {
    pub(crate) store: MemoryStore,
    /// The number of steps so far.
    pub(crate) steps: AtomicUsize,
    /// The number of the step that fails, if there is one.
    pub(crate) fails_at: Option<usize>,
}

impl SteppedStore {
    /// Does something after a step.
    async fn stepped<T>(&self, work: BoxFuture<'_, Result<T, Error>>) -> Result<T, Error> {
        self.step().await?;
        work.await
    }

    async fn step(&self) -> Result<(), Error> {
        once_pending().await;
        let step = self.steps.fetch_add(1, Ordering::Relaxed);
        match self.fails_at {
            Some(at) if at == step => Err(Error::new(ErrorKind::Unavailable, "the test says so")),
            _ => Ok(()),
        }
    }
}

/// Waits until it is polled again.
pub(crate) async fn once_pending() {
    let mut waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl Store for SteppedStore {
    silcrow_testkit::store_methods!(store: append, follow, keys, delete, verify, search, hold);
    silcrow_testkit::store_methods!(store, stepped: ids_beginning_with);
    silcrow_testkit::store_methods!(store, stepped: read, head, list, summary, get, put);
}
