//! A store that waits at each step, so that a test decides what happens in between.

use std::future::poll_fn;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event::Entry;
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, ErrorKind, Hold, MemoryStore, Store, Summary, Versioned};

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
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        self.store.append(conversation, expected, batch)
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<Entry>, Error>> {
        async move {
            self.step().await?;
            self.store.read(conversation, positions).await
        }
        .boxed()
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        async move {
            self.step().await?;
            self.store.head(conversation).await
        }
        .boxed()
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<Entry, Error>> {
        self.store.follow(conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        async move {
            self.step().await?;
            self.store.list(user).await
        }
        .boxed()
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        async move {
            self.step().await?;
            self.store.summary(conversation).await
        }
        .boxed()
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        async move {
            self.step().await?;
            self.store.get(space, key).await
        }
        .boxed()
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        async move {
            self.step().await?;
            self.store.put(space, key, expected, value).await
        }
        .boxed()
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        self.store.keys()
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.store.delete(conversation, expected)
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        self.store.verify()
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        self.store.search(query)
    }

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        self.store.hold(conversation)
    }
}
