//! The view: the state that the records of a log add up to.
//!
//! This module has the places of each conversation's events and of the values. It does no I/O: it
//! takes records one after the other, in the order of the log, and never fails.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use silcrow_store::spaces;

use crate::conversation_log::ConversationLog;
use crate::frame_place::{DamagedPlace, FramePlace, ValuePlace};
use crate::link::Link;
use crate::list_order::ListOrder;
use crate::owned_records::OwnedRecords;
use crate::owners::Owners;
use crate::record::{DamagedRecord, LogRecord};

/// The state that the records of a log add up to.
#[derive(Debug, Default)]
pub(crate) struct View {
    owners: Owners,
    damage: Vec<DamagedPlace>,
    /// By segment, the bytes of frames that no longer count.
    dead: BTreeMap<u32, u64>,
    /// The number of records so far.
    records: u64,
    order: ListOrder,
}

impl View {
    /// Creates the view of a log without damage.
    pub(crate) fn of_checkpoint(owners: Owners, dead: BTreeMap<u32, u64>, records: u64) -> Self {
        Self { owners, dead, records, ..Self::default() }
    }

    /// Returns the log of a conversation that has one.
    pub(crate) fn log(&self, conversation: &str) -> Option<&ConversationLog> {
        Some(&self.owners.get(conversation)?.log).filter(|log| log.head() > 0)
    }

    /// Returns the logs of all conversations, in no order.
    pub(crate) fn logs(&self) -> impl Iterator<Item = (&str, &ConversationLog)> {
        let owners = self.owners.iter().filter(|owner| owner.log.head() > 0);
        owners.map(|owner| (owner.id.as_str(), &owner.log))
    }

    /// Returns the ids of conversations with events that were changed before a record, or of all,
    /// most recently changed first.
    pub(crate) fn ids_changed_before(&self, record: Option<u64>) -> impl Iterator<Item = &str> {
        self.order.before(record, self.logs().map(|(id, log)| (log.changed, id)))
    }

    /// Returns the ids that begin with a text, sorted, of conversations with events or values.
    pub(crate) fn ids_beginning_with(&self, beginning: &str) -> Vec<String> {
        let owners = self.owners.beginning_with(beginning).filter(|owner| {
            !owner.id.is_empty() && (owner.log.head() > 0 || !owner.values.is_empty())
        });
        let mut ids: Vec<_> = owners.map(|owner| owner.id.clone()).collect();
        ids.sort_unstable();
        ids
    }

    pub(crate) fn value(&self, space: &str, key: &str) -> Option<ValuePlace> {
        let values = &self.owners.get(owner(space))?.values;
        values.get(&(space.to_owned(), key.to_owned())).copied()
    }

    /// Returns the values by space and key, sorted.
    pub(crate) fn values(&self) -> Vec<(&str, &str, ValuePlace)> {
        let values = self.owners.iter().flat_map(|owner| &owner.values);
        let values = values.map(|((space, key), value)| (space.as_str(), key.as_str(), *value));
        let mut values: Vec<_> = values.collect();
        values.sort_unstable_by_key(|(space, key, _)| (*space, *key));
        values
    }

    /// Returns whether a conversation has values.
    pub(crate) fn has_values(&self, conversation: &str) -> bool {
        self.owners.get(conversation).is_some_and(|owner| !owner.values.is_empty())
    }

    /// Returns all conversations with their data, in no order.
    pub(crate) fn owners(&self) -> impl Iterator<Item = &OwnedRecords> {
        self.owners.iter()
    }

    /// Returns the number of records so far.
    pub(crate) const fn records(&self) -> u64 {
        self.records
    }

    pub(crate) fn damage(&self) -> &[DamagedPlace] {
        &self.damage
    }

    /// Returns the number of bytes of a segment that no longer count.
    pub(crate) fn dead(&self, segment: u32) -> u64 {
        self.dead.get(&segment).copied().unwrap_or_default()
    }

    /// Returns the segments with obsolete bytes, and the number of those bytes.
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
                    let owner = self.owners.get_mut(conversation);
                    owner.expect("the event counts").log.moved(position, *place);
                }
                LogRecord::Value { space, key, .. } => {
                    let values = self.owners.get_mut(owner(space)).map(|owner| &mut owner.values);
                    let name = (space.to_owned(), key.to_owned());
                    let kept = values.and_then(|values| values.get_mut(&name));
                    kept.expect("the value counts").place = Some(*place);
                }
                _ => {}
            }
        }
    }

    /// Keeps the link that the next event of a conversation carries, if the head is still this one.
    pub(crate) fn keep_link(&mut self, conversation: &str, head: u64, link: Link) {
        let owner = self.owners.get_mut(conversation).filter(|owner| owner.log.head() == head);
        if let Some(owner) = owner.filter(|_| head > 0) {
            owner.log.next_link = Some(link);
        }
    }

    /// Takes the next record of the log into account.
    pub(crate) fn apply(&mut self, place: FramePlace, record: &LogRecord<'_>) {
        self.records += 1;
        match *record {
            LogRecord::Begin { .. } => {}
            LogRecord::Event { conversation, position, traits, .. } => {
                if !self.changed(conversation).apply(position, place, traits) {
                    self.bury(place);
                }
            }
            LogRecord::Value { space, key, version, .. } => {
                self.set(space, key, ValuePlace { version, place: Some(place) });
            }
            LogRecord::Delete { conversation, .. } => self.delete(conversation),
            LogRecord::Lost { conversation, position } => {
                self.changed(conversation).lose(position);
            }
            LogRecord::Forgotten { space, key, .. } => {
                let values = self.owners.get_mut(owner(space)).map(|owner| &mut owner.values);
                let name = (space.to_owned(), key.to_owned());
                let gone = values.and_then(|values| values.remove(&name));
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
        let log = &mut self.owners.entry(conversation).log;
        let before = std::mem::replace(&mut log.changed, self.records);
        log.summary = OnceLock::new();
        self.order.change(conversation, before, self.records);
        log
    }

    fn set(&mut self, space: &str, key: &str, value: ValuePlace) {
        let values = &mut self.owners.entry(owner(space)).values;
        let before = values.insert((space.to_owned(), key.to_owned()), value);
        if let Some(place) = before.and_then(|before| before.place) {
            self.bury(place);
        }
    }

    fn delete(&mut self, conversation: &str) {
        let Some(gone) = self.owners.remove(conversation) else { return };
        self.order.remove(gone.log.changed);
        gone.log.places().for_each(|place| self.bury(place));
        gone.values.values().filter_map(|value| value.place).for_each(|place| self.bury(place));
    }

    fn bury(&mut self, place: FramePlace) {
        *self.dead.entry(place.segment).or_default() += place.len();
    }
}

/// Returns the id of the conversation that the values of a space belong to; none has the empty id.
fn owner(space: &str) -> &str {
    spaces::conversation(space).unwrap_or_default()
}
