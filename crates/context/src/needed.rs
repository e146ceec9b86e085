//! The entries of a log on which its later requests depend, when a summary replaces the others.

use std::collections::BTreeSet;

use silcrow_event::{Entry, Event};

use crate::replaced::{is_answer, is_prompt};
use crate::view::{begin_after, is_of_turn, last_summary, position};

/// The entries of a log that its later requests depend on. All others may be left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a program that kept one has all of it")]
pub struct NeededEntries {
    /// The positions of single entries before `from`, in order.
    pub single: Vec<u64>,
    /// The position from which on every entry is needed.
    pub from: u64,
    /// The position up to which a summary must reach at least.
    pub until: u64,
    /// The greatest number of a turn before `from`. The entries from there on are of later ones.
    pub last_turn: u32,
}

impl NeededEntries {
    /// Returns whether these entries are enough for a log that continues with `rest`, which begins at
    /// [`from`](Self::from). They are not if somebody took the summary back, or if an entry is of a
    /// turn that is left out.
    pub fn suffice_with(&self, rest: &[Entry]) -> bool {
        let reaches = last_summary(rest).is_some_and(|last| last.summary.until >= self.until);
        let is_later = |entry: &Entry| entry.turn.is_some_and(|turn| turn > self.last_turn);
        reaches
            && (self.from..).zip(rest).all(|(at, entry)| entry.seq == Some(at))
            && rest.iter().filter(|entry| is_of_turn(entry)).all(is_later)
    }
}

/// Returns the entries that the last summary of a log leaves, if it replaces something and only
/// later turns follow.
pub(crate) fn needed(entries: &[Entry]) -> Option<NeededEntries> {
    let last = last_summary(entries)?;
    let until = last.summary.until;
    let begin = begin_after(last.before, until);
    let (replaced, rest) = entries.split_at(begin);
    let from = position(entries, begin);
    let needed = NeededEntries {
        single: single(replaced).into_iter().map(|index| position(entries, index)).collect(),
        from,
        until,
        last_turn: replaced.iter().filter_map(|entry| entry.turn).max()?,
    };
    let is_numbered = replaced.iter().all(|entry| entry.seq.is_some_and(|seq| seq < from))
        && replaced.is_sorted_by(|one, next| one.seq < next.seq);
    (is_numbered && rest.iter().any(is_of_turn) && needed.suffice_with(rest)).then_some(needed)
}

/// Returns the indices of the entries of a replaced part that stay: the first prompt, and the last
/// one with the person's additions and the answer to it. One always stays, because a summary that
/// replaces nothing is not sent.
fn single(replaced: &[Entry]) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    kept.insert(replaced.iter().position(is_prompt).unwrap_or_default());
    let Some(last) = replaced.iter().rposition(is_prompt) else { return kept };
    kept.insert(last);
    let is_steer = |entry: &Entry| matches!(entry.event, Event::User { steer: true, .. });
    let added = replaced.iter().enumerate().skip(last);
    kept.extend(added.filter(|(_, entry)| is_steer(entry)).map(|(index, _)| index));
    kept.extend(replaced.iter().rposition(is_answer).filter(|answer| *answer > last));
    kept
}
