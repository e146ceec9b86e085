//! A store that a test watches.

use std::ops::RangeInclusive;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event::Entry;
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, Hold, Store, Summary, Versioned};

/// The operations of a watched store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreActivity {
    /// A change begins.
    Changing,
    /// A change has ended.
    Changed,
    /// So many entries were read.
    Read(usize),
}

/// A store that calls a function with everything that happens to its conversations and values.
pub(crate) struct Watched<S, F> {
    pub(crate) store: S,
    pub(crate) watch: F,
}

impl<S: Store, F: Fn(StoreActivity) + Send + Sync> Store for Watched<S, F> {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        async move {
            (self.watch)(StoreActivity::Changing);
            let appended = self.store.append(conversation, expected, batch).await;
            (self.watch)(StoreActivity::Changed);
            appended
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<Entry>, Error>> {
        async move {
            let entries = self.store.read(conversation, positions).await?;
            (self.watch)(StoreActivity::Read(entries.len()));
            Ok(entries)
        }
        .boxed()
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
        self.store.get(space, key)
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        async move {
            (self.watch)(StoreActivity::Changing);
            let put = self.store.put(space, key, expected, value).await;
            (self.watch)(StoreActivity::Changed);
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

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        async move {
            (self.watch)(StoreActivity::Changing);
            let held = self.store.hold(conversation).await;
            (self.watch)(StoreActivity::Changed);
            held
        }
        .boxed()
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        self.store.search(query)
    }
}
