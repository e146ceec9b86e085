//! Two stores on the same files that take turns.

use std::sync::atomic::{AtomicUsize, Ordering};

use silcrow_store::Store;
use silcrow_store_log::LogStore;

/// Gives each operation to the other store than the one before.
#[derive(Debug)]
pub(crate) struct Alternate {
    stores: [LogStore; 2],
    turn: AtomicUsize,
}

impl Alternate {
    pub(crate) fn new(one: LogStore, other: LogStore) -> Self {
        Self { stores: [one, other], turn: AtomicUsize::new(0) }
    }

    fn next(&self) -> &LogStore {
        &self.stores[self.turn.fetch_add(1, Ordering::Relaxed) % 2]
    }
}

impl Store for Alternate {
    silcrow_testkit::store_methods!(next(): append, read, head, follow, list, summary, get, put);
    silcrow_testkit::store_methods!(next(): ids_beginning_with, keys, delete, verify, search, hold);
}
