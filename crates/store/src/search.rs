//! Words in what persons and models said.

use std::collections::HashMap;

use memchr::memmem::Finder;
use silcrow_event as event;
use silcrow_event::Event;

use crate::error::Error;
use crate::rules;
use crate::store::Store;

/// What to look for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Words, or parts of words, in any order; capitals are as good as small letters.
    pub words: String,
    /// A conversation to leave out, with those that its calls ran
    /// ([`rules::is_within`]): the one that asks.
    pub except: Option<String>,
    /// Whose conversations to look through; all of them without a user.
    pub user: Option<String>,
    /// The most to find.
    pub limit: usize,
}

/// An event that holds at least one of the words.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its conversation.
    pub conversation: String,
    /// The title of that.
    pub title: String,
    /// The event: what a person said or what a model answered.
    pub entry: event::Entry,
    /// How many different words it holds.
    pub words: usize,
}

/// The text of what was said in a store, in memory: what a search goes through.
///
/// It is text and no table of words: going through all of it is faster than anybody waits, and it
/// takes the room of the text and no more.
#[derive(Debug, Default)]
pub struct Index {
    logs: HashMap<String, IndexedLog>,
}

#[derive(Debug, Default)]
struct IndexedLog {
    title: String,
    user: Option<String>,
    /// When its first event was made: another log of the same name may come after a deletion.
    first: f64,
    /// The position up to which it was read.
    head: u64,
    /// In small letters, one event after the other.
    text: String,
    said: Vec<IndexedEvent>,
}

/// An event in the text of a log.
#[derive(Clone, Copy, Debug)]
struct IndexedEvent {
    position: u64,
    time: f64,
    /// Where it ends.
    end: usize,
}

/// A place that was found.
struct FoundEvent<'a> {
    conversation: &'a str,
    said: IndexedEvent,
    words: usize,
}

/// Searches `store` by reading all of it: for a [`Store::search`] that has no index of its own.
///
/// # Errors
///
/// Those of reading.
pub async fn read_all<S: Store + ?Sized>(store: &S, query: &Query) -> Result<Vec<Hit>, Error> {
    let mut index = Index::default();
    index.search(store, query).await
}

impl Index {
    /// Reads what is new in `store`, which must be the same each time, and searches it.
    ///
    /// Those that hold more of the words come first, and of those that hold as many the newest.
    /// Damaged events are passed over.
    ///
    /// # Errors
    ///
    /// Those of reading.
    pub async fn search<S: Store + ?Sized>(
        &mut self,
        store: &S,
        query: &Query,
    ) -> Result<Vec<Hit>, Error> {
        rules::user(query.user.as_deref())?;
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
                words: found.words,
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
                    Err(_) => {
                        for position in first..=last {
                            // What cannot be read cannot be found; `verify` tells of it.
                            let one = store.read(&summary.conversation, position..=position).await;
                            one.iter().flatten().for_each(|entry| log.push(entry));
                        }
                    }
                }
                log.head = last;
            }
            self.logs.insert(summary.conversation, log);
        }
        Ok(())
    }

    fn find(&self, query: &Query) -> Vec<FoundEvent<'_>> {
        let small = query.words.to_lowercase();
        let mut words: Vec<_> = small.split_whitespace().collect();
        words.sort_unstable();
        words.dedup();
        let finders: Vec<_> = words.into_iter().map(Finder::new).collect();
        let mut found = Vec::new();
        for (conversation, log) in &self.logs {
            let is_left_out = |except| rules::is_within(conversation, except);
            let is_theirs = query.user.is_none() || query.user == log.user;
            if is_theirs && !query.except.as_deref().is_some_and(is_left_out) {
                found.extend(log.find(conversation, &finders));
            }
        }
        let rank = |one: &FoundEvent<'_>, other: &FoundEvent<'_>| {
            let newest = other.said.time.total_cmp(&one.said.time);
            let last = other.said.position.cmp(&one.said.position);
            let named = one.conversation.cmp(other.conversation);
            other.words.cmp(&one.words).then(newest).then(named).then(last)
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
        let content = match &entry.event {
            Event::User { content } => content.text(),
            Event::Respond(respond) => respond.content.as_str().into(),
            _ => return,
        };
        self.text.push_str(&content.to_lowercase());
        // No word holds white space, so none is found across the end of an event.
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
                // Once in an event is enough.
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
        let found = |(index, words)| FoundEvent { conversation, said: self.said[index], words };
        counts.into_iter().map(found).collect()
    }
}

/// Entries read at once.
const PAGE: u64 = 256;
