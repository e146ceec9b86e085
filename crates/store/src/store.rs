//! The trait that every store implements.
//!
//! This module defines the promises of a store. The functions over any store are in `transfer`,
//! `verify` and `search`, and `conformance` checks the promises.

use std::ops::{Deref, RangeInclusive};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event as event;

use crate::error::Error;
use crate::hold::Hold;
use crate::list_page::ListPage;
use crate::search::{Hit, Query};
use crate::shared_runs::{NothingShared, SharedRuns};
use crate::summary::Summary;
use crate::verify::{Damage, Report};

/// A store: an append-only log of events for each conversation, and versioned values.
///
/// An acknowledged change is kept completely, in order and once. An unacknowledged change is kept
/// completely or not at all, even if its future is dropped. Conversation ids, spaces and keys have
/// 1 to 256 bytes; every method rejects others ([`Refused`](crate::ErrorKind::Refused)).
///
/// The methods with a default, [`list_page`](Self::list_page), [`known_damage`](Self::known_damage)
/// and [`shared_runs`](Self::shared_runs), are correct for every store; override them for speed. A
/// wrapper should forward all methods. If you have no faster way, call
/// [`verify::read_all`](crate::verify::read_all) and [`search::read_all`](crate::search::read_all),
/// which need only the other methods. A store for a single process can take its holds from
/// [`ProcessHolds`](crate::ProcessHolds).
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_store::{Error, ErrorKind, MemoryStore, Store};
///
/// /// Counts something in any store, also while others count.
/// async fn count(store: &dyn Store, key: &str) -> Result<u64, Error> {
///     loop {
///         let version = store.get("counts", key).await?.map_or(0, |kept| kept.version);
///         match store.put("counts", key, version, Vec::new()).await {
///             Err(error) if error.kind() == ErrorKind::Conflict => {}
///             counted => return counted,
///         }
///     }
/// }
///
/// let store = MemoryStore::new();
/// assert_eq!(count(&store, "runs").await?, 1);
/// assert_eq!(count(&store, "runs").await?, 2);
/// # Ok::<_, Error>(())
/// # }).unwrap();
/// ```
pub trait Store: Send + Sync {
    /// Appends `batch`, all of it or nothing, if the conversation's head is `expected`, and
    /// returns the new head. An unknown conversation's head is 0.
    ///
    /// Entry `k` of the batch, from 0, gets the position `expected + 1 + k` as its `seq`. An empty
    /// batch changes nothing.
    ///
    /// # Errors
    ///
    /// - [`Conflict`](crate::ErrorKind::Conflict) if the head differs, even for an empty batch.
    /// - [`Refused`](crate::ErrorKind::Refused) for events of a kind that is not stored
    ///   ([`event::Event::is_stored`]), and in the other cases of
    ///   [`validate::assign_positions`](crate::validate::assign_positions).
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<event::Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>>;

    /// Returns the existing entries among these positions, in order. The first position is 1.
    ///
    /// # Errors
    ///
    /// [`Damaged`](crate::ErrorKind::Damaged) if an entry differs from the appended one. The
    /// message names its position, and the others can still be read.
    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<event::Entry>, Error>>;

    /// Returns the position of the last entry, or 0 for an unknown conversation.
    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>>;

    /// Returns the entries after a position, including future ones, in order and without gaps. The
    /// stream ends after an error, and only then. [`HeadWatchers`](crate::HeadWatchers) makes it
    /// from [`read`](Self::read).
    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>>;

    /// Lists conversations with events, of all users or of one. The most recently changed comes
    /// first.
    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>>;

    /// Returns a page of [`list`](Self::list): at most `limit` conversations, after the page whose
    /// [`next`](ListPage::next) is given.
    ///
    /// A conversation that changes between two pages moves to the front, so it may appear on two
    /// pages or on none; all others appear exactly once. By default, every page lists everything.
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::ErrorKind::Refused) if `after` is not from a page of this store.
    fn list_page<'a>(
        &'a self,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ListPage, Error>> {
        Box::pin(async move { ListPage::of_list(self.list(user).await?, after, limit) })
    }

    /// Returns a conversation's summary as in [the list](Self::list), or `None` if it has no
    /// events. The cost does not depend on the number of other conversations.
    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>>;

    /// Lists, sorted, the ids with a given prefix, of all conversations that have events or only
    /// [values](crate::spaces::conversation). The ids of conversations that another conversation's
    /// calls ran begin with its id and `/`. The cost depends only on the listed ids. No id begins
    /// with a prefix of more than 256 bytes.
    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>>;

    /// Returns the value under a key, or `None` if the key has no value.
    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>>;

    /// Sets the value under a key if its version is `expected`, and returns the new version. A key
    /// without a value has version 0.
    ///
    /// # Errors
    ///
    /// [`Conflict`](crate::ErrorKind::Conflict) if the version differs.
    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>>;

    /// Lists the space and the key of every value, sorted.
    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>>;

    /// Deletes a conversation if its head is `expected`: its log, and the values in the spaces that
    /// belong to it ([`spaces::conversation`](crate::spaces::conversation)). Everything is deleted
    /// or nothing, and the conversation is unknown afterwards.
    ///
    /// Followers are not notified; they continue after the last position they have read.
    ///
    /// # Errors
    ///
    /// [`Conflict`](crate::ErrorKind::Conflict) if the head differs.
    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Reads everything in the store and reports damage. Damage is not an error.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot determine its expected contents.
    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>>;

    /// Returns the damage already found while opening and reading the store, without reading
    /// everything again. Missing data shows up nowhere else, since a list is merely shorter, so a
    /// program that reads a store should ask at its end.
    ///
    /// By default there is none: such a store fails when it reads damaged data. A wrapper should
    /// forward this.
    fn known_damage(&self) -> BoxFuture<'_, Result<Vec<Damage>, Error>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Searches messages and answers for the words of a query. Events that match more words come
    /// first, and newer ones before older ones.
    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>>;

    /// Takes a conversation for a run, which releases the [`Hold`] at its end. If the previous
    /// owner is gone, this waits until its lease has expired.
    ///
    /// While a conversation is held, no other run in any process can hold it. An owner that is
    /// considered dead loses its hold: from then on the store refuses its appends to the
    /// conversation, and its puts into the conversation's spaces
    /// ([`spaces::conversation`](crate::spaces::conversation)). Anyone may append a person's
    /// messages to a held conversation.
    ///
    /// [`ProcessHolds`](crate::ProcessHolds) implements this for a store used by one process. A
    /// wrapper should forward it.
    ///
    /// # Errors
    ///
    /// - [`Locked`](crate::ErrorKind::Locked) if another live run holds the conversation.
    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>>;

    /// Returns how processes that share the store see each other's runs. By default they do not. A
    /// wrapper should forward this.
    fn shared_runs(&self) -> &dyn SharedRuns {
        &NothingShared
    }
}

/// A pointer to a store is a store: `&S`, `Box<S>`, `Arc<S>`.
impl<P> Store for P
where
    P: Deref<Target: Store> + Send + Sync,
{
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<event::Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        (**self).append(conversation, expected, batch)
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<event::Entry>, Error>> {
        (**self).read(conversation, positions)
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        (**self).head(conversation)
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>> {
        (**self).follow(conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        (**self).list(user)
    }

    fn list_page<'a>(
        &'a self,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ListPage, Error>> {
        (**self).list_page(user, after, limit)
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        (**self).summary(conversation)
    }

    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        (**self).ids_beginning_with(beginning)
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        (**self).get(space, key)
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        (**self).put(space, key, expected, value)
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        (**self).keys()
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        (**self).delete(conversation, expected)
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        (**self).verify()
    }

    fn known_damage(&self) -> BoxFuture<'_, Result<Vec<Damage>, Error>> {
        (**self).known_damage()
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        (**self).search(query)
    }

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        (**self).hold(conversation)
    }

    fn shared_runs(&self) -> &dyn SharedRuns {
        (**self).shared_runs()
    }
}

/// A value and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct Versioned {
    /// The version, which is 1 at first and grows by one with each put.
    pub version: u64,
    /// The bytes.
    pub value: Vec<u8>,
}
