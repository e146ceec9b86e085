use std::ops::{Deref, RangeInclusive};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event as event;

use crate::error::Error;
use crate::search::{Hit, Query};
use crate::verify::Report;

/// An append-only log of events for each conversation, and versioned values beside it.
///
/// What a method has acknowledged is kept, whole, in order and once; what it has not is kept whole
/// or not at all, also where its future is dropped. Conversation ids, spaces and keys are non-empty
/// and at most 256 bytes; all methods refuse others ([`Refused`](crate::ErrorKind::Refused)).
///
/// Every method is required, so that a store around another one forgets none of them. A store that
/// has nothing better of its own calls [`verify::read_all`](crate::verify::read_all) and
/// [`search::read_all`](crate::search::read_all), which need only the other methods.
pub trait Store: Send + Sync {
    /// Appends `batch`, all of it or nothing, if the conversation's head is `expected`, and
    /// returns the new head. An unknown conversation's head is 0.
    ///
    /// Entry `k` of the batch gets the position `expected + 1 + k`; its `seq` is set to that.
    /// Entries that are not to be stored ([`event::Event::is_stored`]) are refused. A time that is
    /// no number is left out.
    ///
    /// # Errors
    ///
    /// [`Conflict`](crate::ErrorKind::Conflict) where the head is another. An empty batch changes
    /// nothing, and is compared like any other.
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        batch: Vec<event::Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>>;

    /// The entries at these positions, as far as they exist, in order. The first position is 1.
    ///
    /// # Errors
    ///
    /// [`Damaged`](crate::ErrorKind::Damaged) where one of them is not what was appended; the
    /// message names its position, and the others can still be read.
    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<event::Entry>, Error>>;

    /// The position of the last entry; 0 where there is none.
    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>>;

    /// The entries after a position, those to come included, in order and without gaps. It ends
    /// after an error, and only then. [`HeadWatchers`](crate::HeadWatchers) makes it from [`read`](Self::read).
    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>>;

    /// The conversations that hold events, the one appended to last first: all of them, or those
    /// of one user.
    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>>;

    /// The value under a key.
    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>>;

    /// Sets the value under a key if its version is `expected`, and returns the new version. A
    /// key without a value has version 0.
    ///
    /// # Errors
    ///
    /// [`Conflict`](crate::ErrorKind::Conflict) where the version is another.
    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>>;

    /// The space and the key of every value, sorted.
    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>>;

    /// Removes the log of a conversation if its head is `expected`, and with it the values in the
    /// spaces that belong to it ([`rules::owner`](crate::rules::owner)); all of it or nothing. The
    /// conversation is unknown afterwards.
    ///
    /// Who follows it is not told, and goes on after the position that it has seen.
    ///
    /// # Errors
    ///
    /// [`Conflict`](crate::ErrorKind::Conflict) where the head is another.
    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// Reads all that is kept, and reports what is not what was written; damage is no error.
    ///
    /// # Errors
    ///
    /// Where the store cannot even say what should be there.
    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>>;

    /// The events of persons and models that hold the words of a query: first those that hold most
    /// of them, and of these the newest.
    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>>;
}

/// Whatever points to a store is one: `&S`, `Box<S>`, `Arc<S>`.
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

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        (**self).search(query)
    }
}

/// What is known of a conversation without reading it.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Its id.
    pub conversation: String,
    /// The first line of what the person said first, at most 80 characters
    /// ([`rules::title`](crate::rules::title)).
    pub title: String,
    /// Whose it is: the first user that one of its events names.
    pub user: Option<String>,
    /// How many events its log holds.
    pub events: u64,
    /// When its first event was made, in seconds since 1970; 0 where nobody said.
    pub first: f64,
    /// When its last event was made, in seconds since 1970; 0 where nobody said.
    pub last: f64,
}

/// A value and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned {
    /// From 1, one more with each put.
    pub version: u64,
    /// The bytes.
    pub value: Vec<u8>,
}
