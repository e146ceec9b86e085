//! A store whose operations begin and end with moments.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::Entry;
use silcrow_store::{Error, MemoryStore, Store};

use super::Moments;

/// A store in memory each of whose operations begins and ends with a moment.
pub(super) struct MomentStore {
    pub(super) store: MemoryStore,
    pub(super) moments: Arc<Moments>,
}

impl MomentStore {
    fn operation<'a, T: Send + 'a>(
        &'a self,
        run: BoxFuture<'a, Result<T, Error>>,
    ) -> BoxFuture<'a, Result<T, Error>> {
        async move {
            self.moments.pass_operation().await;
            let done = run.await;
            self.moments.pass_operation().await;
            done
        }
        .boxed()
    }
}

impl Store for MomentStore {
    silcrow_testkit::store_methods!(store: follow, hold);
    silcrow_testkit::store_methods!(store, operation: read, head, list, summary, get, put, keys);
    silcrow_testkit::store_methods!(store, operation: ids_beginning_with, delete, verify, search);

    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        let append = async move {
            let head = self.store.append(conversation, expected, batch.clone()).await?;
            self.moments.note(&batch);
            Ok(head)
        };
        self.operation(append.boxed())
    }
}
