//! Which part of a log a summary replaces, and which part it shortens.
//!
//! It finds positions, and the beginnings of turns.

use std::collections::{BTreeMap, BTreeSet};

use silcrow_event::{CallResult, ContextSummary, Entry, Event, ResultStatus};

use crate::media_window::content;

/// The part of a log that its last summary leaves. The default leaves everything as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogView {
    /// The number of entries that the summary replaces. The next entry begins a turn.
    pub(crate) begin: usize,
    /// The number of entries whose thoughts are left out, and whose long results are shortened.
    shortened: usize,
    /// The number of entries whose pictures are lines.
    pub(crate) media_from: usize,
    /// The results that a later call repeated before the summary was stored.
    superseded: BTreeSet<usize>,
    /// The names of results that are kept as they were, by turn and id.
    outputs: BTreeMap<(u32, String), String>,
}

/// The part of an event that a model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventView<'n> {
    Whole,
    /// All, with a line for each picture.
    Lines,
    /// Nothing of a thought, and of a result the outcome and the name of the whole, if it is kept.
    Short {
        full_output: Option<&'n str>,
    },
}

/// Returns the results that a summary shortens, with their turns, except those whose whole output is
/// kept anyway. The whole of the others can be kept, and its name is then one of
/// [`ContextSummary::outputs`].
///
/// `entries` are those before the summary. A result without a turn or an id has no name.
///
/// ```
/// use silcrow_context::shortened_results;
/// use silcrow_event::{Call, CallResult, ContextSummary, Entry, Event};
///
/// let page = "A line of a page.\n".repeat(500);
/// let log = [
///     Event::user("Read it."),
///     Event::Call(Call::parse("a1", r#"{"name":"read"}"#).unwrap()),
///     Event::Result(CallResult::success("a1", "read", "500 lines", page)),
///     Event::respond("It repeats itself."),
/// ];
/// let entry = |(event, seq)| Entry { turn: Some(1), seq: Some(seq), ..Entry::from(event) };
/// let log: Vec<_> = log.into_iter().zip(1..).map(entry).collect();
/// let summary = ContextSummary { shortened: 4, ..ContextSummary::default() };
/// let shortened = shortened_results(&log, &summary);
/// assert_eq!((shortened.len(), shortened[0].0), (1, 1));
/// ```
pub fn shortened_results<'a>(
    entries: &'a [Entry],
    summary: &ContextSummary,
) -> Vec<(u32, &'a CallResult)> {
    let view = LogView::new(entries, summary);
    let shortened = entries.iter().enumerate().skip(view.begin);
    let shortened = shortened
        .filter(|(index, entry)| matches!(view.entry(*index, entry), EventView::Short { .. }));
    let results = shortened.filter_map(|(_, entry)| match &entry.event {
        Event::Result(result) => Some((entry.turn?, result)),
        _ => None,
    });
    let is_kept = |result: &CallResult| {
        result.truncated().is_some_and(|truncated| truncated.full_output.is_some())
    };
    results.filter(|(_, result)| result.id.is_some() && !is_kept(result)).collect()
}

impl LogView {
    /// Returns the part that a summary leaves of the entries before it.
    pub(crate) fn new(entries: &[Entry], summary: &ContextSummary) -> Self {
        let begin = begin_after(entries, summary.until);
        let shortened = first_after(entries, summary.shortened).max(begin);
        let outputs = summary.outputs.iter();
        let outputs = outputs.map(|kept| ((kept.turn, kept.id.clone()), kept.name.clone()));
        let superseded = superseded(&entries[begin..shortened], begin);
        Self { begin, shortened, media_from: shortened, superseded, outputs: outputs.collect() }
    }

    /// Returns how much the model reads of an entry.
    pub(crate) fn entry(&self, index: usize, entry: &Entry) -> EventView<'_> {
        let whole = match content(&entry.event) {
            Some(content) if index < self.media_from && content.media().next().is_some() => {
                EventView::Lines
            }
            _ => EventView::Whole,
        };
        match &entry.event {
            _ if index >= self.shortened => whole,
            Event::Think(_) => EventView::Short { full_output: None },
            Event::Result(result) if len(result) > self.longest(index) => {
                let call = entry.turn.zip(result.id.clone());
                let full_output = call.and_then(|call| self.outputs.get(&call));
                EventView::Short { full_output: full_output.map(String::as_str) }
            }
            _ => whole,
        }
    }

    /// Returns the index of the first entry that the summary neither replaces nor shortens.
    pub(crate) const fn whole_from(&self) -> usize {
        self.shortened
    }

    /// Returns the number of bytes of a result that is not shortened.
    fn longest(&self, index: usize) -> usize {
        if self.superseded.contains(&index) { SHORT } else { LONG }
    }
}

/// The last summary of a log.
pub(crate) struct LastSummary<'a> {
    /// The entries before it.
    pub(crate) before: &'a [Entry],
    pub(crate) entry: &'a Entry,
    pub(crate) summary: &'a ContextSummary,
}

/// Returns the last summary of a log.
pub(crate) fn last_summary(entries: &[Entry]) -> Option<LastSummary<'_>> {
    entries.iter().enumerate().rev().find_map(|(index, entry)| match &entry.event {
        Event::Summary(summary) => Some(LastSummary { before: &entries[..index], entry, summary }),
        _ => None,
    })
}

/// Returns the index of the first entry that a summary up to a position does not replace.
pub(crate) fn begin_after(entries: &[Entry], until: u64) -> usize {
    boundary(entries, first_after(entries, until))
}

/// Returns the index at which the turn of the next words at or after `index` begins, so that no turn
/// is split. A log without numbers of turns is split only before a message of the person.
fn boundary(entries: &[Entry], index: usize) -> usize {
    let after = entries.iter().enumerate().skip(index);
    let Some((next, entry)) = after.into_iter().find(|(_, entry)| is_of_turn(entry)) else {
        return entries.len();
    };
    if entry.turn.is_some() {
        let is_same = |before: &Entry| before.turn == entry.turn && is_of_turn(before);
        return entries[..next].iter().position(is_same).unwrap_or(next);
    }
    let is_begin = |entry: &Entry| matches!(entry.event, Event::User { steer: false, .. });
    entries[..=next].iter().rposition(is_begin).unwrap_or_default()
}

/// Returns whether an entry is part of a turn: a prompt, the model's words, or a result. A message
/// that was sent meanwhile, or a summary, begins no turn, even if it has a new number.
pub(crate) const fn is_of_turn(entry: &Entry) -> bool {
    matches!(
        entry.event,
        Event::User { steer: false, .. }
            | Event::Think(_)
            | Event::Call(_)
            | Event::Result(_)
            | Event::Batch(_)
            | Event::Respond(_)
    )
}

/// Returns the position of an entry: its position in the store, or its place among the entries,
/// from 1.
pub(crate) fn position(entries: &[Entry], index: usize) -> u64 {
    entries.get(index).and_then(|entry| entry.seq).unwrap_or(index as u64 + 1)
}

/// Returns a result that consists of its outcome, and of the name under which the whole is kept.
pub(crate) fn shorten(result: &CallResult, full_output: Option<&str>) -> CallResult {
    let truncation = result.truncated().cloned().unwrap_or_default();
    let omitted = truncation.omitted_bytes.unwrap_or_default() + len(result) as u64;
    let mut truncation = truncation.with_omitted_bytes(omitted);
    truncation.tail = None;
    truncation.full_output = truncation.full_output.or_else(|| full_output.map(str::to_owned));
    result.clone().with_content("").with_truncation(truncation)
}

/// Returns the index of the first entry after a position.
fn first_after(entries: &[Entry], last: u64) -> usize {
    let mut after = (0..entries.len()).filter(|&index| position(entries, index) > last);
    after.next().unwrap_or(entries.len())
}

/// Returns the results of calls that a later call repeats with success, by their index in the log.
fn superseded(entries: &[Entry], begin: usize) -> BTreeSet<usize> {
    let mut calls = BTreeMap::new();
    let mut earlier = BTreeMap::new();
    let mut superseded = BTreeSet::new();
    for (index, entry) in entries.iter().enumerate() {
        match &entry.event {
            Event::Call(call) => {
                calls.insert((entry.turn, call.id()), (call.name(), call.args()));
            }
            Event::Result(result) => {
                let id = result.id.as_deref().unwrap_or_default();
                let Some(call) = calls.get(&(entry.turn, id)) else { continue };
                // A failure says nothing about the results of an earlier call.
                let earlier = earlier.entry(*call).or_insert_with(Vec::new);
                if result.status() == ResultStatus::Success {
                    superseded.extend(earlier.drain(..));
                }
                earlier.push(begin + index);
            }
            _ => {}
        }
    }
    superseded
}

/// Returns the number of bytes that the model reads of a result, without its outcome.
fn len(result: &CallResult) -> usize {
    let tail = result.truncated().and_then(|truncated| truncated.tail.as_deref());
    result.content.text().len() + tail.map_or(0, str::len)
}

/// The number of bytes from which a result is shortened.
const LONG: usize = 1024;

/// The same for a result that a later call repeated.
const SHORT: usize = 200;
