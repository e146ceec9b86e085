//! The view: what a log adds up to.
//!
//! This module knows where the events of each conversation and the values are. It does not know
//! files: it takes records one after the other, in the order of the log, and never fails.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::ops::{Range, RangeInclusive};

use silcrow_store::spaces;

use crate::link::Link;
use crate::record::{DamagedRecord, LogRecord};

/// What the records of a log add up to.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// The index of each conversation in `logs`.
    indexes: HashMap<String, usize>,
    logs: Vec<ConversationLog>,
    /// The index of the conversation that was changed last, which is often changed next.
    last: usize,
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
    /// The id of the conversation; empty after its deletion.
    conversation: String,
    /// By position, from 1; `None` for an event that is not there.
    places: Vec<Option<FramePlace>>,
    /// The positions of events that the log does without since it was mended.
    lost: BTreeSet<u64>,
    /// The position of the first message of a person.
    pub(crate) first_prompt: Option<u64>,
    /// The position of the first event that names a user.
    pub(crate) first_user: Option<u64>,
    /// The position of the last event that names a folder.
    pub(crate) last_folder: Option<u64>,
    /// The position of the last event that names the conversation.
    pub(crate) last_title: Option<u64>,
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
    /// More than one only if none of them is there.
    pub(crate) segments: RangeInclusive<u32>,
    pub(crate) bytes: Range<u64>,
    pub(crate) lost: DamagedRecord,
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

    /// Returns the offsets in the segment.
    pub(crate) fn range(self) -> Range<u64> {
        let start = u64::from(self.at);
        start..start + u64::from(self.length.get())
    }
}

impl ConversationLog {
    /// Returns the position of the last event.
    pub(crate) fn head(&self) -> u64 {
        self.places.len() as u64
    }

    /// Returns where an event is, if it is there.
    pub(crate) fn place(&self, position: u64) -> Option<FramePlace> {
        let index = usize::try_from(position.checked_sub(1)?).ok()?;
        self.places.get(index).copied().flatten()
    }

    /// Returns where the events after a position are, up to the position `last`, without those that
    /// are not there.
    pub(crate) fn places_after(
        &self,
        position: u64,
        last: u64,
    ) -> impl Iterator<Item = FramePlace> {
        let index = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
        let end = index(last).min(self.places.len());
        let places = self.places.get(index(position)..end).unwrap_or_default();
        places.iter().copied().flatten()
    }

    /// Returns whether the log does without an event since it was mended.
    pub(crate) fn is_lost(&self, position: u64) -> bool {
        self.lost.contains(&position)
    }

    /// Returns the positions of events that are damaged.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = u64> {
        let positions = (1..).zip(&self.places);
        positions.filter(|(at, place)| place.is_none() && !self.is_lost(*at)).map(|(at, _)| at)
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
        self.indexes.get(conversation).map(|index| &self.logs[*index])
    }

    pub(crate) fn logs(&self) -> impl Iterator<Item = (&str, &ConversationLog)> {
        self.indexes.iter().map(|(conversation, index)| (&**conversation, &self.logs[*index]))
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

    /// Returns the number of bytes of a segment that no longer count.
    pub(crate) fn dead(&self, segment: u32) -> u64 {
        self.dead.get(&segment).copied().unwrap_or_default()
    }

    /// Returns the segments with bytes that no longer count, and how many those are.
    pub(crate) fn segments_with_dead(&self) -> impl Iterator<Item = (u32, u64)> {
        self.dead.iter().map(|(segment, dead)| (*segment, *dead))
    }

    /// Returns whether a record at this place still counts. A deletion counts as long as an earlier
    /// segment may have something that it deleted.
    pub(crate) fn counts(&self, place: FramePlace, record: &LogRecord<'_>) -> bool {
        match *record {
            LogRecord::Begin { .. } => false,
            LogRecord::Event { conversation, position, .. } => {
                self.log(conversation).and_then(|log| log.place(position)) == Some(place)
            }
            LogRecord::Value { space, key, .. } => {
                self.value(space, key).and_then(|value| value.place) == Some(place)
            }
            LogRecord::Delete { .. } | LogRecord::Forgotten { .. } => {
                self.dead.iter().any(|(segment, dead)| *segment < place.segment && *dead > 0)
            }
            LogRecord::Lost { conversation, position } => {
                self.log(conversation).is_some_and(|log| log.is_lost(position))
            }
        }
    }

    /// Takes into account that a segment was rewritten: records that count are in other places.
    pub(crate) fn rewrite(&mut self, segment: u32, moved: &[(FramePlace, LogRecord<'_>)]) {
        self.dead.remove(&segment);
        self.damage.retain(|damage| damage.segments != (segment..=segment));
        for (place, record) in moved {
            match *record {
                LogRecord::Event { conversation, position, .. } => {
                    let log = self.log_mut(conversation);
                    let kept = log.and_then(|log| log.places.get_mut(position as usize - 1));
                    *kept.expect("the event counts") = Some(*place);
                }
                LogRecord::Value { space, key, .. } => {
                    let kept = self.values.get_mut(&(space.to_owned(), key.to_owned()));
                    kept.expect("the value counts").place = Some(*place);
                }
                _ => {}
            }
        }
    }

    /// Keeps the link that the next event of a conversation carries, if the head is still this one.
    pub(crate) fn keep_link(&mut self, conversation: &str, head: u64, link: Link) {
        if let Some(log) = self.log_mut(conversation).filter(|log| log.head() == head) {
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
                if traits.has_folder {
                    log.last_folder = log.last_folder.max(Some(position));
                }
                if traits.is_title {
                    log.last_title = log.last_title.max(Some(position));
                }
            }
            LogRecord::Value { space, key, version, .. } => {
                self.set(space, key, ValuePlace { version, place: Some(place) });
            }
            LogRecord::Delete { conversation, .. } => self.delete(conversation),
            LogRecord::Lost { conversation, position } => {
                let log = self.changed(conversation);
                log.grow(position);
                log.lost.insert(position);
            }
            LogRecord::Forgotten { space, key, .. } => {
                let gone = self.values.remove(&(space.to_owned(), key.to_owned()));
                if let Some(place) = gone.and_then(|value| value.place) {
                    self.bury(place);
                }
            }
        }
    }

    /// Takes damage into account.
    pub(crate) fn push_damage(&mut self, damage: DamagedPlace) {
        self.records += 1;
        match &damage.lost {
            DamagedRecord::Event { conversation, position } => {
                let log = self.changed(conversation);
                log.grow(*position);
                log.next_link = None;
            }
            DamagedRecord::Value { space, key, version } => {
                self.set(space, key, ValuePlace { version: *version, place: None });
            }
            DamagedRecord::Unknown => {}
        }
        self.damage.push(damage);
    }

    fn changed(&mut self, conversation: &str) -> &mut ConversationLog {
        let is_last = |log: &ConversationLog| log.conversation == conversation;
        if !self.logs.get(self.last).is_some_and(is_last) {
            self.last = match self.indexes.get(conversation) {
                Some(index) => *index,
                None => {
                    self.indexes.insert(conversation.to_owned(), self.logs.len());
                    let conversation = conversation.to_owned();
                    self.logs.push(ConversationLog { conversation, ..Default::default() });
                    self.logs.len() - 1
                }
            };
        }
        let log = &mut self.logs[self.last];
        log.changed = self.records;
        log
    }

    fn log_mut(&mut self, conversation: &str) -> Option<&mut ConversationLog> {
        self.indexes.get(conversation).map(|index| &mut self.logs[*index])
    }

    fn set(&mut self, space: &str, key: &str, value: ValuePlace) {
        let before = self.values.insert((space.to_owned(), key.to_owned()), value);
        if let Some(place) = before.and_then(|before| before.place) {
            self.bury(place);
        }
    }

    fn delete(&mut self, conversation: &str) {
        let index = self.indexes.remove(conversation);
        let log = index.map(|index| std::mem::take(&mut self.logs[index])).unwrap_or_default();
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
