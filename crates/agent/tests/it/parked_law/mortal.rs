//! A store of a process that dies at one of its changes.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use futures_util::stream::BoxStream;
use silcrow_event::Entry;
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, Hold, MemoryStore, ProcessHolds, Store, Summary, Versioned};
use tokio::sync::Notify;

/// The moment at which a process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Death {
    /// The number of its change of the store, from 1.
    pub(super) change: u64,
    /// Whether that change still takes effect.
    pub(super) takes_effect: bool,
}

/// A store as a process sees it that dies at a change. Nothing that the process does later reaches
/// the store.
#[derive(Clone)]
pub(crate) struct MortalStore {
    store: Arc<MemoryStore>,
    death: Option<Death>,
    life: Arc<Life>,
    holds: ProcessHolds,
}

/// The life of a process.
#[derive(Default)]
struct Life {
    changes: AtomicU64,
    is_over: AtomicBool,
    end: Notify,
}

impl MortalStore {
    pub(crate) fn new(store: &Arc<MemoryStore>, death: Option<Death>) -> Self {
        let holds = ProcessHolds::new();
        Self { store: Arc::clone(store), death, life: Arc::default(), holds }
    }

    /// Waits until the process dies.
    pub(super) async fn died(&self) {
        self.life.end.notified().await;
    }

    /// Makes a change, unless the process dies before it.
    async fn change<T>(&self, change: BoxFuture<'_, T>) -> T {
        self.alive().await;
        let number = self.life.changes.fetch_add(1, Ordering::SeqCst) + 1;
        let Some(death) = self.death.filter(|death| death.change == number) else {
            return change.await;
        };
        if death.takes_effect {
            change.await;
        }
        self.life.is_over.store(true, Ordering::SeqCst);
        self.life.end.notify_one();
        pending().await
    }

    async fn alive(&self) {
        if self.life.is_over.load(Ordering::SeqCst) {
            pending().await
        }
    }
}

impl Store for MortalStore {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        self.change(self.store.append(conversation, expected, batch)).boxed()
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<Entry>, Error>> {
        self.store.read(conversation, positions)
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        self.store.head(conversation)
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<Entry, Error>> {
        self.store.follow(conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        self.store.list(user)
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        self.store.summary(conversation)
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        self.store.get(space, key)
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        self.change(self.store.put(space, key, expected, value)).boxed()
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        self.store.keys()
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.change(self.store.delete(conversation, expected)).boxed()
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        self.store.verify()
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        self.store.search(query)
    }

    /// The holds of a process end with it, and this one's tasks may outlive it here.
    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        async { self.holds.hold(conversation) }.boxed()
    }
}
