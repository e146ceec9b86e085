//! A store whose operations begin and end with moments. It does not know what happens at them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event::Entry;
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, Hold, MemoryStore, Store, Summary, Versioned};

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

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<Entry>, Error>> {
        self.operation(self.store.read(conversation, positions))
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        self.operation(self.store.head(conversation))
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<Entry, Error>> {
        self.store.follow(conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        self.operation(self.store.list(user))
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        self.operation(self.store.summary(conversation))
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        self.operation(self.store.get(space, key))
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        self.operation(self.store.put(space, key, expected, value))
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        self.operation(self.store.keys())
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.operation(self.store.delete(conversation, expected))
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        self.operation(self.store.verify())
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        self.operation(self.store.search(query))
    }

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        self.store.hold(conversation)
    }
}
