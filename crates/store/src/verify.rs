//! Verifies that a store's contents are as they were written.
//!
//! It defines the report, and finds damage by reading. A store that can check more adds to the
//! report.

use std::fmt;
use std::ops::{Range, RangeInclusive};

use silcrow_event as event;

use crate::error::{Error, ErrorKind};
use crate::store::{Store, Versioned};

/// The result of [`Store::verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct Report {
    /// The number of conversations that were read.
    pub conversations: u64,
    /// The number of events that are intact.
    pub events: u64,
    /// The number of values that are intact.
    pub values: u64,
    /// The damage, in the order of discovery.
    pub damage: Vec<Damage>,
    /// The events that the store has lacked since it was mended. They do not count as damage.
    pub lost: Vec<Place>,
}

/// Data that differs from the written data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct Damage {
    /// The damaged data.
    pub place: Place,
    /// The reason, in words.
    pub why: String,
}

/// The position and extent of damage.
///
/// ```
/// use silcrow_store::verify::Place;
///
/// let place = Place::Events { conversation: "c1".to_owned(), positions: 7..=9 };
/// assert_eq!(place.to_string(), r#"events 7 to 9 of conversation "c1""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Damaged events of a conversation.
    Events {
        /// The conversation's id.
        conversation: String,
        /// The positions of the events.
        positions: RangeInclusive<u64>,
    },
    /// The summary of a conversation. Its events may be intact.
    Summary {
        /// The conversation's id.
        conversation: String,
    },
    /// A value.
    Value {
        /// The value's space.
        space: String,
        /// The value's key.
        key: String,
    },
    /// Bytes of a file whose content is unknown.
    Bytes {
        /// The file's name in the folder of the log.
        file: String,
        /// The offsets of the bytes.
        bytes: Range<u64>,
    },
    /// Files of the log that are missing.
    Segments {
        /// Their numbers.
        numbers: RangeInclusive<u32>,
    },
    /// Data that was not read because the store cannot tell what comes next. It may be intact.
    Unread {
        /// The kind of data, in the plural: `conversations`, `events` or `values`.
        what: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events { conversation, positions } if positions.start() == positions.end() => {
                write!(f, "event {} of conversation {conversation:?}", positions.start())
            }
            Self::Events { conversation, positions } => {
                let (first, last) = (positions.start(), positions.end());
                write!(f, "events {first} to {last} of conversation {conversation:?}")
            }
            Self::Summary { conversation } => {
                write!(f, "the summary of conversation {conversation:?}")
            }
            Self::Value { space, key } => write!(f, "the value {key:?} in {space:?}"),
            Self::Bytes { file, bytes } => {
                write!(f, "bytes {} to {} of {file}", bytes.start, bytes.end)
            }
            Self::Segments { numbers } => {
                write!(f, "segments {} to {}", numbers.start(), numbers.end())
            }
            Self::Unread { what } => write!(f, "the rest of the {what}, which was not read"),
        }
    }
}

/// Reads everything that `store` lists. A store that has nothing else to check calls this in
/// [`Store::verify`].
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_store::{MemoryStore, Store as _, verify};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("hello").into()]).await?;
/// let report = verify::read_all(&store).await?;
/// assert_eq!((report.events, report.damage.len()), (1, 0));
/// # Ok::<_, silcrow_store::Error>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Returns an error if the disk fails. Damage is part of the report.
pub async fn read_all<S: Store + ?Sized>(store: &S) -> Result<Report, Error> {
    let mut report = Report::default();
    let list = store.list(None).await.or_else(|error| report.unread("conversations", error))?;
    for summary in list {
        report.conversations += 1;
        for first in (1..=summary.events).step_by(PAGE as usize) {
            let last = summary.events.min(first + PAGE - 1);
            // Each page begins with the last entry before it, so that a store can compare each
            // event with the next.
            match store.read(&summary.conversation, first.max(2) - 1..=last).await {
                Ok(_) => report.events += last - first + 1,
                Err(error) if is_unreadable(&error) => {
                    one_by_one(store, &summary.conversation, first..=last, &mut report).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }
    let keys = store.keys().await.or_else(|error| report.unread("values", error))?;
    for (space, key) in keys {
        let kept = get_whole(store, &space, &key, &mut report).await?;
        report.values += u64::from(kept.is_some());
    }
    Ok(report)
}

/// Returns the entries at these positions that can be read, and adds the others to the damage of
/// the report.
///
/// # Errors
///
/// Returns an error if the disk fails.
pub async fn read_whole<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    positions: RangeInclusive<u64>,
    report: &mut Report,
) -> Result<Vec<event::Entry>, Error> {
    match store.read(conversation, positions.clone()).await {
        Err(error) if is_unreadable(&error) => {}
        read => return read,
    }
    let head = store.head(conversation).await?;
    let mut entries = Vec::new();
    for position in (*positions.start()).max(1)..=head.min(*positions.end()) {
        match store.read(conversation, position..=position).await {
            Ok(entry) => entries.extend(entry),
            Err(error) if is_unreadable(&error) => {
                report.add_event(conversation, position, error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// Returns the value under a key, and adds it to the damage of the report if it cannot be read.
///
/// # Errors
///
/// Returns an error if the disk fails.
pub async fn get_whole<S: Store + ?Sized>(
    store: &S,
    space: &str,
    key: &str,
    report: &mut Report,
) -> Result<Option<Versioned>, Error> {
    match store.get(space, key).await {
        Err(error) if is_unreadable(&error) => {
            let place = Place::Value { space: space.to_owned(), key: key.to_owned() };
            report.damage.push(Damage { place, why: error.to_string() });
            Ok(None)
        }
        got => got,
    }
}

async fn one_by_one<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    positions: RangeInclusive<u64>,
    report: &mut Report,
) -> Result<(), Error> {
    for position in positions {
        let alone = store.read(conversation, position..=position).await;
        // An event may be readable and yet not be the one that was appended. The next event reveals
        // that, or, for the last event, the head.
        let read = match (alone, store.read(conversation, position + 1..=position + 1).await) {
            (Ok(_), Ok(_)) => store.read(conversation, position..=position + 1).await,
            (alone, _) => alone,
        };
        match read {
            Ok(_) => report.events += 1,
            Err(error) if is_unreadable(&error) => {
                report.add_event(conversation, position, error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns whether this data cannot be read although other data may be readable.
const fn is_unreadable(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Unavailable)
}

impl Report {
    /// Reports that the rest of `what` could not be read, and returns an empty value, with which the
    /// caller continues in place of that rest. `what` is the kind of data ([`Place::Unread`]).
    ///
    /// # Errors
    ///
    /// Returns `error` if its kind is neither [`Damaged`](ErrorKind::Damaged) nor
    /// [`Unavailable`](ErrorKind::Unavailable): then it does not concern this data alone.
    pub fn unread<T: Default>(&mut self, what: &str, error: Error) -> Result<T, Error> {
        if !is_unreadable(&error) {
            return Err(error);
        }
        let place = Place::Unread { what: what.to_owned() };
        if self.damage.iter().all(|damage| damage.place != place) {
            self.damage.push(Damage { place, why: error.to_string() });
        }
        Ok(T::default())
    }

    /// Adds an event that the store skips since it was mended.
    pub fn add_lost(&mut self, conversation: &str, position: u64) {
        let conversation = conversation.to_owned();
        self.lost.push(Place::Events { conversation, positions: position..=position });
    }

    /// Adds a damaged event, which extends the damage before it if it is the next one.
    pub fn add_event(&mut self, conversation: &str, position: u64, why: impl Into<String>) {
        if let Some(Damage { place: Place::Events { conversation: of, positions }, .. }) =
            self.damage.last_mut()
            && of == conversation
            && positions.end() + 1 == position
        {
            *positions = *positions.start()..=position;
            return;
        }
        let place =
            Place::Events { conversation: conversation.to_owned(), positions: position..=position };
        self.damage.push(Damage { place, why: why.into() });
    }
}

/// The number of entries that are read at once.
const PAGE: u64 = 64;
