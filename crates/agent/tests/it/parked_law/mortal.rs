//! A store of a process that dies at one of its changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_store::{Error, Hold, MemoryStore, ProcessHolds, Store};
use tokio::sync::Notify;

/// The moment at which a process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Death {
    /// The number of its change of the store, from 1.
    pub(crate) change: u64,
    /// Whether that change still takes effect.
    pub(crate) takes_effect: bool,
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
    pub(crate) async fn died(&self) {
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
    silcrow_testkit::store_methods!(store: read, head, follow, list, summary, get, keys);
    silcrow_testkit::store_methods!(store: ids_beginning_with, verify, search);
    silcrow_testkit::store_methods!(store, change: append, put, delete);

    /// The holds of a process end with it, and this one's tasks may outlive it here.
    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        async { self.holds.hold(conversation) }.boxed()
    }
}
