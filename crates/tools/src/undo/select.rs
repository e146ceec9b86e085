//! The records that a request selects.
//!
//! This module selects by conversations, turns and roots. It does not look at files.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use super::report::{UndoRefusal, UndoRequest};
use crate::by_conversation::{file_name, is_of_call, turn_inside};
use crate::changes::folder::{LockedFolder, RecordName};
use crate::changes::record::{ChangeKind, ChangeRecord};

/// All records of a journal that can be read.
pub(crate) struct JournalRecords {
    pub(crate) records: Records,
    pub(crate) names: Vec<RecordName>,
    /// The names of those that cannot be read.
    unread: Vec<RecordName>,
}

impl JournalRecords {
    pub(crate) fn read(folder: &LockedFolder) -> io::Result<Self> {
        let names = folder.names()?;
        let (mut records, mut unread) = (Records::new(), Vec::new());
        for name in &names {
            match folder.read(name) {
                Ok(record) => drop(records.insert(name.number, record)),
                Err(_) => unread.push(name.clone()),
            }
        }
        Ok(Self { records, names, unread })
    }

    /// Returns the files of the records of a conversation that cannot be read.
    pub(crate) fn unread_of(&self, conversation: &str) -> impl Iterator<Item = String> {
        let own = file_name(conversation);
        let of_it = move |name: &&RecordName| {
            name.conversation == own || is_of_call(&name.conversation, &own)
        };
        self.unread.iter().filter(of_it).map(RecordName::file)
    }

    /// Returns the name of a record.
    pub(crate) fn name(&self, number: u64) -> Option<&RecordName> {
        self.names.iter().find(|name| name.number == number)
    }

    /// Returns the numbers of the interrupted undos that could have changed the requested records,
    /// the oldest first.
    pub(crate) fn interrupted(&self, request: &UndoRequest) -> Vec<u64> {
        let id = &request.conversation;
        let is_meant = |record: &ChangeRecord| {
            record.kind != ChangeKind::Call
                && (turn_in(record, id).is_some()
                    || turn_inside(id, &record.origin.conversation).is_some())
        };
        let begun = self.names.iter().filter(|name| !name.is_done).map(|name| name.number);
        begun.filter(|number| self.records.get(number).is_some_and(is_meant)).collect()
    }

    /// Returns the numbers of the records that the request means and that still stand, the newest
    /// first.
    pub(crate) fn select(&self, request: &UndoRequest) -> Vec<u64> {
        let standing = standing(&self.records).into_iter();
        let wanted = |number: &u64| {
            let record = &self.records[number];
            match request.redo {
                true => {
                    record.kind == ChangeKind::Undo
                        && record.origin.conversation == request.conversation
                }
                false => {
                    record.kind == ChangeKind::Call
                        && turn_in(record, &request.conversation)
                            .is_some_and(|turn| request.turns.contains(&turn))
                        && request.call.as_ref().is_none_or(|call| {
                            let origin = &record.origin;
                            origin.conversation == request.conversation && origin.call == *call
                        })
                }
            }
        };
        standing.filter(wanted).take(if request.redo { 1 } else { usize::MAX }).collect()
    }

    /// Keeps the numbers of records of the root with this identity. Returns a refusal if there are
    /// none, but some of other roots.
    pub(crate) fn of_root(
        &self,
        numbers: &[u64],
        identity: &str,
        request: &UndoRequest,
    ) -> Result<Vec<u64>, UndoRefusal> {
        let root = |number: &u64| &self.records[number].root;
        let own: Vec<_> =
            numbers.iter().copied().filter(|it| root(it).identity == identity).collect();
        let Some(first) = numbers.first().filter(|_| own.is_empty()).map(root) else {
            return Ok(own);
        };
        let is_one = numbers.iter().all(|number| root(number).identity == first.identity);
        if request.moved_root && is_one {
            return Ok(numbers.to_vec());
        }
        let why = "the changes were made in a different folder";
        let root = Some(PathBuf::from(&first.path));
        Err(UndoRefusal { root, ..UndoRefusal::new(&*first.path, why) })
    }
}

/// Returns the turn of the conversation in which a change was made, by one of its own calls or by
/// an agent that one ran.
fn turn_in(record: &ChangeRecord, conversation: &str) -> Option<u32> {
    let origin = &record.origin;
    match origin.conversation == conversation {
        true => Some(origin.turn),
        false => turn_inside(&origin.conversation, conversation),
    }
}

/// Records by their numbers, the oldest first.
pub(crate) type Records = BTreeMap<u64, ChangeRecord>;

/// Returns the numbers of the records that no undo has undone, except one that is itself undone.
fn standing(records: &Records) -> Vec<u64> {
    let (mut undone, mut standing) = (BTreeSet::<u64>::new(), Vec::new());
    for (number, record) in records.iter().rev() {
        if !undone.contains(number) {
            undone.extend(&record.undoes);
            standing.push(*number);
        }
    }
    standing
}
