//! The stage: the changes of a group, compared with the log and turned into records.
//!
//! This module checks the expectations of a change. It writes nothing.

use std::collections::{HashMap, HashSet};

use silcrow_event as event;
use silcrow_store::{Error, spaces, validate};

use crate::frame::{HEADER, SegmentKey};
use crate::link::{self, Link};
use crate::log::LogFiles;
use crate::record::{LogRecord, PlaceInGroup, Traits};
use crate::store_id::SegmentIdentity;
use crate::view::View;

/// A requested change.
#[derive(Debug)]
pub(crate) enum Change {
    /// A batch at the end of a conversation.
    Append { conversation: String, expected: u64, events: Vec<NewEvent> },
    /// A value under a key.
    Put { space: String, key: String, expected: u64, value: Vec<u8> },
    /// The end of a conversation and of the values that belong to it.
    Delete { conversation: String, expected: u64 },
}

/// An event without a place yet.
#[derive(Debug)]
pub(crate) struct NewEvent {
    pub(crate) traits: Traits,
    /// Without the position.
    pub(crate) json: String,
}

/// The changes of a group that hold, one after the other.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    log: &'a LogFiles,
    /// The changes of the group, by conversation: the head and the link of the next event.
    heads: HashMap<String, (u64, Link)>,
    /// By space and key.
    versions: HashMap<(String, String), u64>,
    deleted: HashSet<String>,
    writes: Vec<Write>,
}

/// Records that are written together.
#[derive(Debug, Default)]
pub(crate) struct Group {
    writes: Vec<Write>,
    pub(crate) heads: HashMap<String, (u64, Link)>,
}

/// A record that owns its contents.
#[derive(Debug)]
enum Write {
    Event { conversation: String, position: u64, link: Link, event: NewEvent },
    Value { space: String, key: String, version: u64, value: Vec<u8> },
    Delete { conversation: String, head: u64 },
    Lost { conversation: String, position: u64 },
    Forgotten { space: String, key: String, version: u64 },
}

impl NewEvent {
    pub(crate) fn new(entry: event::Entry) -> Self {
        // The frame says the position.
        let entry = event::Entry { seq: None, ..entry };
        Self { traits: Traits::new(&entry), json: entry.to_json() }
    }
}

impl Change {
    /// Creates a change that changes nothing. The writer takes the lock for it nevertheless, and
    /// completes the write of a killed process.
    pub(crate) fn nothing() -> Self {
        Self::Append { conversation: "nothing".to_owned(), expected: 0, events: Vec::new() }
    }

    /// Returns the approximate number of bytes that it adds.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Append { events, .. } => events.iter().map(|event| event.json.len()).sum(),
            Self::Put { value, .. } => value.len(),
            Self::Delete { .. } => 0,
        }
    }
}

impl<'a> Stage<'a> {
    pub(crate) fn new(log: &'a LogFiles) -> Self {
        let (heads, versions, deleted, writes) = Default::default();
        Self { log, heads, versions, deleted, writes }
    }

    /// Returns the new head or version, for a deletion 0, if the change holds. Otherwise nothing of
    /// it is staged.
    pub(crate) fn add(&mut self, change: Change) -> Result<u64, Error> {
        match change {
            Change::Append { conversation, expected, events } => {
                self.append(conversation, expected, events)
            }
            Change::Put { space, key, expected, value } => self.put(space, key, expected, value),
            Change::Delete { conversation, expected } => self.delete(conversation, expected),
        }
    }

    pub(crate) fn finish(self) -> Group {
        Group { writes: self.writes, heads: self.heads }
    }

    fn append(
        &mut self,
        conversation: String,
        expected: u64,
        events: Vec<NewEvent>,
    ) -> Result<u64, Error> {
        let head = self.head(&conversation);
        if head != expected {
            return Err(validate::head_conflict(&conversation, expected, head));
        }
        if events.is_empty() {
            return Ok(head);
        }
        let mut link = match self.heads.get(&conversation) {
            Some((_, link)) => *link,
            None => self.log.next_link(&conversation)?,
        };
        let mut head = head;
        for event in events {
            head += 1;
            let next = link::next(&link, &conversation, head, &event.json);
            let conversation = conversation.clone();
            self.writes.push(Write::Event { conversation, position: head, link, event });
            link = next;
        }
        self.heads.insert(conversation, (head, link));
        Ok(head)
    }

    fn put(
        &mut self,
        space: String,
        key: String,
        expected: u64,
        value: Vec<u8>,
    ) -> Result<u64, Error> {
        let place = (space, key);
        let version = self.version(&place);
        if version != expected {
            return Err(validate::version_conflict(&place.0, &place.1, expected, version));
        }
        let version = version + 1;
        self.versions.insert(place.clone(), version);
        let (space, key) = place;
        self.writes.push(Write::Value { space, key, version, value });
        Ok(version)
    }

    fn delete(&mut self, conversation: String, expected: u64) -> Result<u64, Error> {
        let head = self.head(&conversation);
        if head != expected {
            return Err(validate::head_conflict(&conversation, expected, head));
        }
        let belongs = |space: &str| spaces::conversation(space) == Some(&*conversation);
        let has_values = self.log.view.has_values(&conversation)
            || self.versions.keys().any(|(space, _)| belongs(space));
        if head == 0 && !has_values {
            return Ok(0);
        }
        self.versions.retain(|(space, _), _| !belongs(space));
        self.heads.insert(conversation.clone(), (0, link::FIRST));
        self.deleted.insert(conversation.clone());
        self.writes.push(Write::Delete { conversation, head });
        Ok(0)
    }

    fn head(&self, conversation: &str) -> u64 {
        match self.heads.get(conversation) {
            Some((head, _)) => *head,
            None => self.log.view.log(conversation).map_or(0, |log| log.head()),
        }
    }

    fn version(&self, place: &(String, String)) -> u64 {
        let (space, key) = place;
        if let Some(version) = self.versions.get(place) {
            return *version;
        }
        if spaces::conversation(space).is_some_and(|of| self.deleted.contains(of)) {
            return 0;
        }
        self.log.view.value(space, key).map_or(0, |value| value.version)
    }
}

impl Group {
    /// Creates a group that says which events and values the log does without.
    pub(crate) fn lost(view: &View) -> Self {
        let events = view.logs().flat_map(|(conversation, log)| {
            let conversation = conversation.to_owned();
            log.damaged()
                .map(move |position| Write::Lost { conversation: conversation.clone(), position })
        });
        let values = view.values().into_iter().filter(|(.., value)| value.place.is_none());
        let values = values.map(|(space, key, value)| {
            let (space, key) = (space.to_owned(), key.to_owned());
            Write::Forgotten { space, key, version: value.version }
        });
        Self { writes: events.chain(values).collect(), heads: HashMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Returns the number of bytes that the group takes, the beginning of a segment included.
    pub(crate) fn len(&self) -> u64 {
        let sizes = self.writes.iter().map(|write| match write {
            Write::Event { conversation, link, event, .. } => {
                conversation.len() + link.len() + event.json.len()
            }
            Write::Value { space, key, value, .. } => 2 + space.len() + key.len() + value.len(),
            Write::Forgotten { space, key, .. } => 2 + space.len() + key.len(),
            Write::Delete { conversation, .. } | Write::Lost { conversation, .. } => {
                conversation.len()
            }
        });
        (HEADER + SegmentIdentity::LENGTH + sizes.map(|size| HEADER + size).sum::<usize>()) as u64
    }

    /// Returns the bytes of the group, whose offset in the segment will be `at`. At the beginning
    /// of a segment they have its identity and the end of the segment before it.
    pub(crate) fn write(
        &self,
        key: SegmentKey,
        at: u64,
        end_before: u64,
        identity: Option<SegmentIdentity>,
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let begin = LogRecord::Begin { before: end_before, rewritten: None, identity };
        let begin = (at == 0).then_some(begin);
        let records = begin.into_iter().chain(self.writes.iter().map(Write::record));
        let mut records = records.peekable();
        while let Some(record) = records.next() {
            let place =
                PlaceInGroup { is_first: bytes.is_empty(), is_last: records.peek().is_none() };
            record.write(key, at + bytes.len() as u64, place, &mut bytes);
        }
        bytes
    }
}

impl Write {
    fn record(&self) -> LogRecord<'_> {
        match self {
            Self::Event { conversation, position, link, event } => LogRecord::Event {
                conversation,
                position: *position,
                traits: event.traits,
                link,
                json: event.json.as_bytes(),
            },
            Self::Value { space, key, version, value } => {
                LogRecord::Value { space, key, version: *version, value }
            }
            Self::Delete { conversation, head } => LogRecord::Delete { conversation, head: *head },
            Self::Forgotten { space, key, version } => {
                LogRecord::Forgotten { space, key, version: *version }
            }
            Self::Lost { conversation, position } => {
                LogRecord::Lost { conversation, position: *position }
            }
        }
    }
}
