//! Searches for words in messages and answers.
//!
//! It indexes text in memory; the store decides how it reads its entries.

use std::collections::HashMap;

use memchr::memmem::Finder;
use silcrow_event as event;
use silcrow_event::Event;

use crate::error::{Error, ErrorKind};
pub use crate::fold::fold;
use crate::store::Store;
use crate::validate;

/// A search for words.
///
/// ```
/// use silcrow_event::Event;
/// use silcrow_store::search::Query;
/// use silcrow_store::{MemoryStore, Store as _};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("Où est le café?").into()]).await?;
/// let query = Query { words: "CAFE tea".to_owned(), ..Query::default() };
/// let hits = store.search(&query).await?;
/// assert_eq!((hits.len(), hits[0].matched_words), (1, 1));
/// // The conversation that searches leaves itself out.
/// let query = Query { except: Some("c1".to_owned()), ..query };
/// assert!(store.search(&query).await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct Query {
    /// Words, or parts of words, in any order. Case and accents are ignored, as [`fold`] does it.
    pub words: String,
    /// A conversation to leave out, including the conversations of its calls ([`excludes`]);
    /// usually the searching conversation itself.
    ///
    /// [`excludes`]: Self::excludes
    pub except: Option<String>,
    /// The user or users whose conversations are searched; by default, all users.
    pub user: SearchedUser,
    /// The maximum number of hits, by default 10.
    pub limit: usize,
}

/// The users whose conversations a [`Query`] searches. The owner of a conversation is the first
/// user that its events name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a conversation has an owner or none")]
pub enum SearchedUser {
    /// The conversations of all users, and those without an owner.
    #[default]
    Any,
    /// The conversations without an owner.
    Nobody,
    /// The conversations of one user.
    One(String),
}

impl SearchedUser {
    /// Returns whether the conversations of this owner, or those without one, are searched.
    pub fn includes(&self, owner: Option<&str>) -> bool {
        match self {
            Self::Any => true,
            Self::Nobody => owner.is_none(),
            Self::One(user) => owner == Some(user),
        }
    }

    /// Returns the name of the one user.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Any | Self::Nobody => None,
            Self::One(user) => Some(user),
        }
    }
}

impl Default for Query {
    fn default() -> Self {
        Self { words: String::new(), except: None, user: SearchedUser::Any, limit: 10 }
    }
}

impl Query {
    /// Returns the words, [folded](fold), each once.
    pub fn distinct_words(&self) -> Vec<String> {
        let folded = fold(&self.words);
        let mut words: Vec<_> = folded.split_whitespace().map(str::to_owned).collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Returns whether the query leaves out a conversation: `except` itself, or one that belongs to a
    /// call of `except`, whose id begins with `except` and a `/`.
    pub fn excludes(&self, conversation: &str) -> bool {
        let rest = self.except.as_deref().and_then(|except| conversation.strip_prefix(except));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// An event that contains at least one of the words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct Hit {
    /// The id of its conversation.
    pub conversation: String,
    /// The title of its conversation.
    pub title: String,
    /// The event: a message of a person or an answer of a model.
    pub entry: event::Entry,
    /// The number of different words that the event contains.
    pub matched_words: usize,
}

/// An index of the messages and answers of a store, in memory.
///
/// It keeps plain text and no table of words: a search through all of it is fast enough for a
/// person who waits, and it needs no more memory than the text.
#[derive(Debug, Default)]
pub struct Index {
    logs: HashMap<String, IndexedLog>,
}

#[derive(Debug, Default)]
struct IndexedLog {
    title: String,
    user: Option<String>,
    /// The time of the first event. It distinguishes a log from one of the same name that was
    /// deleted.
    first: event::Timestamp,
    /// The position up to which the log was read.
    head: u64,
    /// The [folded](fold) text, one event after the other.
    text: String,
    said: Vec<IndexedEvent>,
}

/// An event in the text of a log.
#[derive(Clone, Copy, Debug)]
struct IndexedEvent {
    position: u64,
    time: event::Timestamp,
    /// The end of the event in the text.
    end: usize,
}

/// An event that matches a query.
struct FoundEvent<'a> {
    conversation: &'a str,
    said: IndexedEvent,
    matched_words: usize,
}

/// Searches `store` by reading all of it. A store without an index calls this in [`Store::search`].
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_store::search::{self, Query};
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("Where is the café?").into()]).await?;
/// let query = Query { words: "cafe".to_owned(), ..Query::default() };
/// assert_eq!(search::read_all(&store, &query).await?[0].conversation, "c1");
/// # Ok::<_, silcrow_store::Error>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Returns the errors of reading.
pub async fn read_all<S: Store + ?Sized>(store: &S, query: &Query) -> Result<Vec<Hit>, Error> {
    let mut index = Index::default();
    index.search(store, query).await
}

/// Returns the text of a message or an answer, [folded](fold), for searching; `None` for other
/// events.
///
/// ```
/// use silcrow_event::Event;
/// use silcrow_store::search::searched_text;
///
/// assert_eq!(searched_text(&Event::user("Où est-il ?").into()).as_deref(), Some("ou est-il ?"));
/// // Thoughts are not searched.
/// assert_eq!(searched_text(&Event::think("easy").into()), None);
/// ```
pub fn searched_text(entry: &event::Entry) -> Option<String> {
    match &entry.event {
        Event::User { content, .. } => Some(fold(&content.text())),
        Event::Respond(respond) if respond.malformed.is_none() => Some(fold(&respond.content)),
        _ => None,
    }
}

impl Index {
    /// Reads the new events of `store`, which must be the same store each time, and searches them
    /// all.
    ///
    /// Events with more of the words come first, and newer ones before older ones with as many.
    /// Damaged events are skipped.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading.
    pub async fn search<S: Store + ?Sized>(
        &mut self,
        store: &S,
        query: &Query,
    ) -> Result<Vec<Hit>, Error> {
        validate::user(query.user.name())?;
        self.read(store).await?;
        let mut hits = Vec::new();
        for found in self.find(query) {
            let at = found.said.position;
            let entries = store.read(found.conversation, at..=at).await?;
            let title = self.logs[found.conversation].title.clone();
            hits.extend(entries.into_iter().map(|entry| Hit {
                conversation: found.conversation.to_owned(),
                title: title.clone(),
                entry,
                matched_words: found.matched_words,
            }));
        }
        Ok(hits)
    }

    async fn read<S: Store + ?Sized>(&mut self, store: &S) -> Result<(), Error> {
        let mut before = std::mem::take(&mut self.logs);
        for summary in store.list(None).await? {
            let log = before.remove(&summary.conversation);
            let same = |log: &IndexedLog| log.first == summary.first && log.head <= summary.events;
            let mut log = log.filter(same).unwrap_or_default();
            log.title = summary.title;
            log.user = summary.user;
            log.first = summary.first;
            while log.head < summary.events {
                let (first, last) = (log.head + 1, summary.events.min(log.head + PAGE));
                match store.read(&summary.conversation, first..=last).await {
                    Ok(entries) => entries.iter().for_each(|entry| log.push(entry)),
                    Err(error) if error.kind() == ErrorKind::Damaged => {
                        for position in first..=last {
                            // A damaged event is skipped here; `verify` reports it.
                            let one = store.read(&summary.conversation, position..=position).await;
                            match one {
                                Ok(entries) => entries.iter().for_each(|entry| log.push(entry)),
                                Err(error) if error.kind() == ErrorKind::Damaged => {}
                                Err(error) => return Err(error),
                            }
                        }
                    }
                    Err(error) => return Err(error),
                }
                log.head = last;
            }
            self.logs.insert(summary.conversation, log);
        }
        Ok(())
    }

    fn find(&self, query: &Query) -> Vec<FoundEvent<'_>> {
        let words = query.distinct_words();
        let finders: Vec<_> = words.iter().map(Finder::new).collect();
        let mut found = Vec::new();
        for (conversation, log) in &self.logs {
            if query.user.includes(log.user.as_deref()) && !query.excludes(conversation) {
                found.extend(log.find(conversation, &finders));
            }
        }
        let rank = |one: &FoundEvent<'_>, other: &FoundEvent<'_>| {
            let newest = other.said.time.cmp(&one.said.time);
            let last = other.said.position.cmp(&one.said.position);
            let named = one.conversation.cmp(other.conversation);
            other.matched_words.cmp(&one.matched_words).then(newest).then(named).then(last)
        };
        if found.len() > query.limit && query.limit > 0 {
            found.select_nth_unstable_by(query.limit - 1, rank);
        }
        found.truncate(query.limit);
        found.sort_unstable_by(rank);
        found
    }
}

impl IndexedLog {
    fn push(&mut self, entry: &event::Entry) {
        let Some(text) = searched_text(entry) else { return };
        self.text.push_str(&text);
        // A word has no white space, so no match extends past the end of an event.
        self.text.push('\n');
        let (position, end) = (entry.seq.unwrap_or_default(), self.text.len());
        self.said.push(IndexedEvent { position, time: entry.timestamp.unwrap_or_default(), end });
    }

    fn find<'a>(&self, conversation: &'a str, words: &[Finder<'_>]) -> Vec<FoundEvent<'a>> {
        let mut counts: Vec<(usize, usize)> = Vec::new();
        for word in words {
            let mut from = 0;
            while let Some(at) = word.find(&self.text.as_bytes()[from..]) {
                let index = self.said.partition_point(|said| said.end <= from + at);
                counts.push((index, 1));
                // An event counts a word once.
                from = self.said[index].end;
            }
        }
        counts.sort_unstable();
        counts.dedup_by(|one, kept| {
            one.0 == kept.0 && {
                kept.1 += one.1;
                true
            }
        });
        let found = |(index, matched_words)| {
            let said = self.said[index];
            FoundEvent { conversation, said, matched_words }
        };
        counts.into_iter().map(found).collect()
    }
}

/// The number of entries that are read at once.
const PAGE: u64 = 256;
