//! The store in memory.
//!
//! This module meets the requirements of a store without a disk, and is the simplest example of
//! one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, RangeInclusive};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event as event;

use crate::error::Error;
use crate::heads::HeadWatchers;
use crate::hold::Hold;
use crate::list_page::{ListPage, ListPlace};
use crate::process_holds::ProcessHolds;
use crate::search::{self, Hit, Query};
use crate::spaces;
use crate::store::{Store, Versioned};
use crate::summary::Summary;
use crate::validate;
use crate::verify::{self, Report};

/// A store that lives as long as its process.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// assert_eq!(store.head("c1").await?, 0);
/// assert!(store.list(None).await?.is_empty());
/// # Ok::<_, silcrow_store::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<MemoryState>,
    heads: HeadWatchers,
    holds: ProcessHolds,
}

#[derive(Debug, Default)]
struct MemoryState {
    logs: BTreeMap<String, MemoryLog>,
    /// The conversations by the number of the last append to each.
    order: BTreeMap<u64, String>,
    /// By the conversation that they belong to, or the empty text without one, then by space and key.
    values: BTreeMap<String, BTreeMap<(String, String), Versioned>>,
    /// The number of appends so far.
    appends: u64,
}

#[derive(Debug)]
struct MemoryLog {
    entries: Vec<event::Entry>,
    summary: Summary,
    /// The number of the last append to this log.
    append: u64,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn kept(&self) -> MutexGuard<'_, MemoryState> {
        // Nothing is changed before it is checked, so the data is consistent even after a panic.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryState {
    fn head(&self, conversation: &str) -> u64 {
        self.logs.get(conversation).map_or(0, |log| log.summary.events)
    }

    fn append(
        &mut self,
        conversation: &str,
        expected: u64,
        batch: Vec<event::Entry>,
    ) -> Result<(), Error> {
        let head = self.head(conversation);
        if head != expected {
            return Err(validate::head_conflict(conversation, expected, head));
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.appends += 1;
        let log = self.logs.entry(conversation.to_owned()).or_insert_with(|| MemoryLog {
            entries: Vec::new(),
            summary: Summary::new(conversation),
            append: 0,
        });
        let listed = self.order.remove(&log.append).unwrap_or_else(|| conversation.to_owned());
        log.append = self.appends;
        self.order.insert(self.appends, listed);
        for entry in batch {
            log.summary.apply(&entry);
            log.entries.push(entry);
        }
        Ok(())
    }

    fn read(&self, conversation: &str, positions: RangeInclusive<u64>) -> Vec<event::Entry> {
        let Some(log) = self.logs.get(conversation) else { return Vec::new() };
        let first = (*positions.start()).max(1);
        let last = (*positions.end()).min(log.summary.events);
        if first > last {
            return Vec::new();
        }
        // Both positions are at most the length of the log.
        log.entries[first as usize - 1..last as usize].to_vec()
    }

    /// Lists summaries by the last append, of those before an append or of all; the last one comes first.
    fn list(&self, user: Option<&str>, before: Option<u64>) -> impl Iterator<Item = &Summary> {
        let ids = self.order.range(..before.unwrap_or(u64::MAX)).rev().map(|(_, id)| id);
        let summaries = ids.filter_map(|id| Some(&self.logs.get(id)?.summary));
        summaries.filter(move |listed| user.is_none() || listed.user.as_deref() == user)
    }

    fn list_page(
        &self,
        user: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<ListPage, Error> {
        let place = after.map(ListPlace::parse).transpose()?;
        let at = place.and_then(|place| {
            let log = self.logs.get(place.conversation())?;
            place.is_behind(&log.summary).then_some(log.append)
        });
        // If the one at the place has moved or is gone, older ones follow.
        let moved = place.filter(|_| at.is_none());
        let rest = self.list(user, at);
        let rest = rest.skip_while(|listed| moved.is_some_and(|place| !place.is_before(listed)));
        ListPage::begin(rest.map(|listed| Ok(listed.clone())), limit)
    }

    fn delete(&mut self, conversation: &str, expected: u64) -> Result<(), Error> {
        let head = self.head(conversation);
        if head != expected {
            return Err(validate::head_conflict(conversation, expected, head));
        }
        if let Some(log) = self.logs.remove(conversation) {
            self.order.remove(&log.append);
        }
        self.values.remove(conversation);
        Ok(())
    }

    fn ids_beginning_with(&self, beginning: &str) -> Vec<String> {
        let from = (Bound::Included(beginning), Bound::Unbounded);
        let logs = self.logs.range::<str, _>(from).map(|(id, _)| id);
        let logs = logs.take_while(|id| id.starts_with(beginning));
        let values = self.values.range::<str, _>(from).map(|(id, _)| id);
        let values = values.take_while(|id| id.starts_with(beginning)).filter(|id| !id.is_empty());
        BTreeSet::from_iter(logs.chain(values)).into_iter().cloned().collect()
    }

    fn value(&self, space: &str, key: &str) -> Option<&Versioned> {
        self.values.get(owner(space))?.get(&(space.to_owned(), key.to_owned()))
    }

    fn put(&mut self, space: &str, key: &str, expected: u64, value: Vec<u8>) -> Result<u64, Error> {
        let version = self.value(space, key).map_or(0, |kept| kept.version);
        if version != expected {
            return Err(validate::version_conflict(space, key, expected, version));
        }
        let values = self.values.entry(owner(space).to_owned()).or_default();
        let place = (space.to_owned(), key.to_owned());
        values.insert(place, Versioned { version: version + 1, value });
        Ok(version + 1)
    }
}

/// Returns the conversation that the values of a space belong to; none has the empty id.
fn owner(space: &str) -> &str {
    spaces::conversation(space).unwrap_or_default()
}

impl Store for MemoryStore {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        mut batch: Vec<event::Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let head = validate::assign_positions(expected, &mut batch)?;
            self.kept().append(conversation, expected, batch)?;
            self.heads.publish(conversation, head);
            Ok(head)
        })
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<event::Entry>, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            Ok(self.kept().read(conversation, positions))
        })
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            Ok(self.kept().head(conversation))
        })
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>> {
        self.heads.follow(self, conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        Box::pin(async move {
            validate::user(user)?;
            Ok(self.kept().list(user, None).cloned().collect())
        })
    }

    fn list_page<'a>(
        &'a self,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ListPage, Error>> {
        Box::pin(async move {
            validate::user(user)?;
            self.kept().list_page(user, after, limit)
        })
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        Box::pin(async move {
            validate::name("conversation", conversation)?;
            Ok(self.kept().logs.get(conversation).map(|log| log.summary.clone()))
        })
    }

    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move { Ok(self.kept().ids_beginning_with(beginning)) })
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        Box::pin(async move {
            validate::name("space", space)?;
            validate::name("key", key)?;
            Ok(self.kept().value(space, key).cloned())
        })
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("space", space)?;
            validate::name("key", key)?;
            self.kept().put(space, key, expected, value)
        })
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        Box::pin(async move {
            let kept = self.kept();
            let mut keys: Vec<_> = kept.values.values().flat_map(BTreeMap::keys).cloned().collect();
            keys.sort_unstable();
            Ok(keys)
        })
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            self.kept().delete(conversation, expected)
        })
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        Box::pin(verify::read_all(self))
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        Box::pin(search::read_all(self, query))
    }

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            self.holds.hold(conversation)
        })
    }
}
