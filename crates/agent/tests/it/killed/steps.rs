//! The steps at which a process is killed, and a store whose changes are steps.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use rustix::process::{Signal, getpid, kill_process};
use silcrow_event::Entry;
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, Store, Summary, Versioned};
use silcrow_store_log::LogStore;

/// Kills this process at one of its steps.
#[derive(Clone)]
pub(super) struct Steps {
    pub(super) taken: Arc<AtomicU32>,
    /// From 1; 0 is never.
    pub(super) at: u32,
}

impl Steps {
    pub(super) fn step(&self) {
        if self.taken.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
    }
}

/// A store whose every change has a step before it and one after it.
pub(super) struct Kept {
    pub(super) store: LogStore,
    pub(super) steps: Steps,
}

impl Store for Kept {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        async move {
            self.steps.step();
            let appended = self.store.append(conversation, expected, batch).await;
            self.steps.step();
            appended
        }
        .boxed()
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
            self.steps.step();
            let put = self.store.put(space, key, expected, value).await;
            self.steps.step();
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
}
