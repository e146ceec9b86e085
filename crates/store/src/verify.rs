//! Whether a store holds what was written to it.

use std::fmt;
use std::ops::RangeInclusive;

use crate::error::{Error, ErrorKind};
use crate::store::Store;

/// What [`Store::verify`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Conversations that were read.
    pub conversations: u64,
    /// Events that are what was appended.
    pub events: u64,
    /// Values that are what was put.
    pub values: u64,
    /// What is not, in the order in which it was found.
    pub damage: Vec<Damage>,
}

/// Something that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where, and how far it reaches.
    pub place: Place,
    /// What is wrong, in words.
    pub why: String,
}

/// Where damage is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Events of a conversation, each of them damaged.
    Events {
        /// Its id.
        conversation: String,
        /// Theirs.
        positions: RangeInclusive<u64>,
    },
    /// What is known of a conversation without reading it. Its events may be whole.
    Summary {
        /// Its id.
        conversation: String,
    },
    /// A value.
    Value {
        /// Its space.
        space: String,
        /// Its key.
        key: String,
    },
    /// What could not be read because the store cannot tell what comes next. It may be whole.
    Unread {
        /// What it is, in the plural: `conversations`, `events` or `values`.
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
            Self::Unread { what } => write!(f, "the rest of the {what}, which was not read"),
        }
    }
}

/// Reads all that `store` lists: for a [`Store::verify`] that checks nothing else.
///
/// # Errors
///
/// Where the disk fails.
pub async fn read_all<S: Store + ?Sized>(store: &S) -> Result<Report, Error> {
    let mut report = Report::default();
    let list = store.list(None).await.or_else(|error| report.unread("conversations", error))?;
    for summary in list {
        report.conversations += 1;
        for first in (1..=summary.events).step_by(PAGE as usize) {
            let last = summary.events.min(first + PAGE - 1);
            // From the one before, so that a store can hold each event against the next.
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
        match store.get(&space, &key).await {
            Ok(kept) => report.values += u64::from(kept.is_some()),
            Err(error) if is_unreadable(&error) => {
                let place = Place::Value { space, key };
                report.damage.push(Damage { place, why: error.to_string() });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

async fn one_by_one<S: Store + ?Sized>(
    store: &S,
    conversation: &str,
    positions: RangeInclusive<u64>,
    report: &mut Report,
) -> Result<(), Error> {
    for position in positions {
        let alone = store.read(conversation, position..=position).await;
        // An event may be whole and not the one that was appended, which the next one tells; or, of
        // the last one, the head.
        let read = match (alone, store.read(conversation, position + 1..=position + 1).await) {
            (Ok(_), Ok(_)) => store.read(conversation, position..=position + 1).await,
            (alone, _) => alone,
        };
        match read {
            Ok(_) => report.events += 1,
            Err(error) if is_unreadable(&error) => {
                report.damaged(conversation, position, error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether what was asked for cannot be read, and something else may be.
const fn is_unreadable(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Unavailable)
}

impl Report {
    /// Reports that the rest of something was not read, if damage is why. What was listed before it
    /// is not known, so there is nothing of it.
    ///
    /// # Errors
    ///
    /// The error, if it is not about damage.
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

    /// One more damaged event, which may go on where the damage before it ends.
    fn damaged(&mut self, conversation: &str, position: u64, why: String) {
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
        self.damage.push(Damage { place, why });
    }
}

/// Entries read at once.
const PAGE: u64 = 64;
