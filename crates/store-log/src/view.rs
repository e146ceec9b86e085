//! The view: what a log adds up to.
//!
//! This module knows where the events of each conversation and the values are. It does not know
//! files: it takes records one after the other, in the order of the log, and never fails.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::ops::Range;

use silcrow_store::spaces;

use crate::link::Link;
use crate::record::{LogRecord, Lost};

/// What the records of a log add up to.
#[derive(Debug, Default)]
pub(crate) struct View {
    logs: HashMap<String, ConversationLog>,
    values: BTreeMap<(String, String), ValuePlace>,
    damage: Vec<DamagedPlace>,
    /// By segment, the bytes of frames that no longer count.
    dead: HashMap<u32, u64>,
    /// The number of records so far.
    records: u64,
}

/// A conversation.
#[derive(Debug, Default)]
pub(crate) struct ConversationLog {
    /// By position, from 1; `None` for an event that is damaged.
    places: Vec<Option<FramePlace>>,
    /// The position of the first message of a person.
    pub(crate) first_prompt: Option<u64>,
    /// The position of the first event that names a user.
    pub(crate) first_user: Option<u64>,
    /// The number of the record that changed it last.
    pub(crate) changed: u64,
    /// The link that the next event carries, if it is known.
    pub(crate) next_link: Option<Link>,
}

/// A value under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    pub(crate) version: u64,
    /// `None` if it is damaged.
    pub(crate) place: Option<FramePlace>,
}

/// Where a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FramePlace {
    pub(crate) segment: u32,
    pub(crate) at: u32,
    pub(crate) length: NonZeroU32,
}

/// Bytes of a segment that are not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DamagedPlace {
    pub(crate) segment: u32,
    pub(crate) bytes: Range<u64>,
    pub(crate) lost: Lost,
}

impl FramePlace {
    pub(crate) fn new(segment: u32, at: u64, length: usize) -> Self {
        let length = u32::try_from(length).ok().and_then(NonZeroU32::new);
        Self {
            segment,
            at: u32::try_from(at).expect("a segment has a limit"),
            length: length.expect("a frame has a header and a limit"),
        }
    }
}

impl ConversationLog {
    /// Returns the position of the last event.
    pub(crate) fn head(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns where an event is: `None` beyond the head, `Some(None)` if it is damaged.
    pub(crate) fn place(&self, position: u64) -> Option<Option<FramePlace>> {
        let index = usize::try_from(position.checked_sub(1)?).ok()?;
        self.places.get(index).copied()
    }

    /// Counts the events up to a position as damaged if they are not there.
    fn grow(&mut self, head: u64) {
        let head = usize::try_from(head).unwrap_or(usize::MAX);
        if self.places.len() < head {
            self.places.resize(head, None);
        }
    }
}

impl View {
    pub(crate) fn log(&self, conversation: &str) -> Option<&ConversationLog> {
        self.logs.get(conversation)
    }

    pub(crate) fn logs(&self) -> impl Iterator<Item = (&str, &ConversationLog)> {
        self.logs.iter().map(|(conversation, log)| (conversation.as_str(), log))
    }

    pub(crate) fn value(&self, space: &str, key: &str) -> Option<ValuePlace> {
        self.values.get(&(space.to_owned(), key.to_owned())).copied()
    }

    /// Returns the values by space and key, sorted.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&str, &str, ValuePlace)> {
        self.values.iter().map(|((space, key), value)| (space.as_str(), key.as_str(), *value))
    }

    pub(crate) fn damage(&self) -> &[DamagedPlace] {
        &self.damage
    }

    /// Keeps the link that the next event of a conversation carries, if the head is still this one.
    pub(crate) fn keep_link(&mut self, conversation: &str, head: u64, link: Link) {
        if let Some(log) = self.logs.get_mut(conversation).filter(|log| log.head() == head) {
            log.next_link = Some(link);
        }
    }

    /// Takes the next record of the log into account.
    pub(crate) fn push(&mut self, place: FramePlace, record: &LogRecord<'_>) {
        self.records += 1;
        match *record {
            LogRecord::Begin { .. } => {}
            LogRecord::Event { conversation, position, traits, .. } => {
                let log = self.changed(conversation);
                log.grow(position);
                let index = position.saturating_sub(1) as usize;
                let Some(kept) = log.places.get_mut(index) else { return };
                if kept.is_some() {
                    // The first event at a position is the one that was acknowledged.
                    self.bury(place);
                    return;
                }
                *kept = Some(place);
                log.next_link = None;
                if traits.is_prompt {
                    log.first_prompt.get_or_insert(position);
                }
                if traits.has_user {
                    log.first_user.get_or_insert(position);
                }
            }
            LogRecord::Value { space, key, version, .. } => {
                self.set(space, key, ValuePlace { version, place: Some(place) });
            }
            LogRecord::Delete { conversation, .. } => self.delete(conversation),
        }
    }

    /// Takes damage into account.
    pub(crate) fn push_damage(&mut self, damage: DamagedPlace) {
        self.records += 1;
        match &damage.lost {
            Lost::Event { conversation, position } => {
                let log = self.changed(conversation);
                log.grow(*position);
                log.next_link = None;
            }
            Lost::Value { space, key, version } => {
                self.set(space, key, ValuePlace { version: *version, place: None });
            }
            Lost::Other => {}
        }
        self.damage.push(damage);
    }

    fn changed(&mut self, conversation: &str) -> &mut ConversationLog {
        if !self.logs.contains_key(conversation) {
            self.logs.insert(conversation.to_owned(), ConversationLog::default());
        }
        let log = self.logs.get_mut(conversation).expect("it was inserted");
        log.changed = self.records;
        log
    }

    fn set(&mut self, space: &str, key: &str, value: ValuePlace) {
        let before = self.values.insert((space.to_owned(), key.to_owned()), value);
        if let Some(place) = before.and_then(|before| before.place) {
            self.bury(place);
        }
    }

    fn delete(&mut self, conversation: &str) {
        let log = self.logs.remove(conversation).unwrap_or_default();
        log.places.into_iter().flatten().for_each(|place| self.bury(place));
        let mut gone = Vec::new();
        self.values.retain(|(space, _), value| {
            let stays = spaces::conversation(space) != Some(conversation);
            if !stays {
                gone.extend(value.place);
            }
            stays
        });
        gone.into_iter().for_each(|place| self.bury(place));
    }

    fn bury(&mut self, place: FramePlace) {
        *self.dead.entry(place.segment).or_default() += u64::from(place.length.get());
    }
}
