//! A store that waits for a future of the test at its steps.

use std::ops::RangeInclusive;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event::Entry;
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, Hold, Store, Summary, Versioned};

/// A step of the store with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreStep {
    AfterGet,
    BeforePut,
    AfterPut,
}

/// A store that waits for a future at each step.
pub(crate) struct Hooked<S, F> {
    pub(crate) store: S,
    pub(crate) hook: F,
}

impl<S, F> Store for Hooked<S, F>
where
    S: Store,
    F: Fn(StoreStep) -> BoxFuture<'static, ()> + Send + Sync,
{
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

    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        self.store.ids_beginning_with(beginning)
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        async move {
            let found = self.store.get(space, key).await;
            (self.hook)(StoreStep::AfterGet).await;
            found
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
            (self.hook)(StoreStep::BeforePut).await;
            let put = self.store.put(space, key, expected, value).await;
            (self.hook)(StoreStep::AfterPut).await;
            put
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
