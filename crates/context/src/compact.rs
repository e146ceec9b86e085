//! The compaction of a context: the part of the log that stays, and the shortening of the rest.
//!
//! It measures requests with a function of the caller, because each vendor counts tokens in its own
//! way. It asks no model: a [`SummaryTask`] has the request.

use std::collections::BTreeSet;

use silcrow_event::{ContextSummary, Entry, Event, Message};

use crate::assemble::assemble;
use crate::assembler::ContextAssembler;
use crate::compaction::{CompactionOptions, ContextCompaction, DROPPED, SummaryTask, input_window};
use crate::digest::{DONE, digest, done};
use crate::input::ContextInput;
use crate::view::{begin_after, is_of_turn, last_summary, position};

/// Returns a way to make the request of a context shorter that reads summaries.
pub(crate) fn compact(
    context: &dyn ContextAssembler,
    input: &ContextInput<'_>,
    options: CompactionOptions,
    tokens: &dyn Fn(&[Message]) -> u64,
) -> Option<ContextCompaction> {
    let window = input_window(input.limits);
    // The window without the system message and the examples.
    let fixed = tokens(&context.assemble(&input.with_entries(&[])));
    let room = window.map(|window| window.saturating_sub(fixed));
    let share = |percent: u8| room.map_or(0, |room| room * u64::from(percent) / 100);
    let last = last_summary(input.entries).map(|last| last.summary.clone()).unwrap_or_default();
    let first = begin_after(input.entries, last.until);
    let begins = begins(input.entries, first);
    // The first turn that stays: as many of the newest turns as fit.
    let fits = |begin: usize| {
        let kept = assemble(&input.entries[begin..], input.dialect);
        tokens(&kept) <= share(options.keep)
    };
    let kept = begins.partition_point(|&begin| !fits(begin)).min(begins.len().checked_sub(1)?);
    let until = position(input.entries, begins[kept]).saturating_sub(1);

    let shortened = ContextSummary { shortened: until, ..last.clone() };
    if until > last.shortened && window.is_some() {
        let mut entries = input.entries.to_vec();
        entries.push(Event::Summary(shortened.clone()).into());
        let used = tokens(&context.assemble(&input.with_entries(&entries)));
        let middle = u64::from(options.keep.midpoint(options.start));
        if used.saturating_mul(100) <= window?.saturating_mul(middle) {
            return Some(ContextCompaction::Shorten(shortened));
        }
    }
    Some(ContextCompaction::Summarize(Box::new(task(
        input,
        room,
        &last,
        first,
        &begins[..=kept],
        tokens,
    ))))
}

/// Returns the task of summarizing as many of the oldest turns as one request can have.
fn task(
    input: &ContextInput<'_>,
    room: Option<u64>,
    last: &ContextSummary,
    begin: usize,
    begins: &[usize],
    tokens: &dyn Fn(&[Message]) -> u64,
) -> SummaryTask {
    let notes = notes(&last.content);
    let most = input_window(input.limits).unwrap_or(u64::MAX) / 2;
    // A byte is a quarter of a token, so the summary takes at most a tenth of the room.
    let longest = room.map_or(MAX_SUMMARY, |room| room * 2 / 5);
    let longest = longest.clamp(MIN_SUMMARY, MAX_SUMMARY) as usize;
    let request = |end: usize| digest(&input.entries[begin..end], &notes, longest);
    let is_short = |end: usize| tokens(&request(end).0) <= most;
    let count = begins.partition_point(|&end| is_short(end)).max(1);
    let end = begins[count - 1];
    let (messages, mark) = request(end);
    SummaryTask {
        messages,
        mark,
        until: position(input.entries, end).saturating_sub(1),
        earlier: notes,
        done: done(&input.entries[..end], longest / 2),
        longest,
    }
}

/// Returns the indices at which later turns than the one at `first` begin.
fn begins(entries: &[Entry], first: usize) -> Vec<usize> {
    let of_turns = |from: usize| {
        let rest = entries.iter().enumerate().skip(from);
        rest.filter(|(_, entry)| is_of_turn(entry))
    };
    let mut turns: BTreeSet<_> = of_turns(0)
        .take_while(|(index, _)| *index < first)
        .filter_map(|(_, entry)| entry.turn)
        .collect();
    let mut is_begin = |entry: &Entry| match entry.turn {
        Some(turn) => turns.insert(turn),
        None => matches!(entry.event, Event::User { .. }),
    };
    let begins = of_turns(first).filter(|(_, entry)| is_begin(entry)).map(|(index, _)| index);
    begins.filter(|&index| index > first).collect()
}

/// Returns a summary without the list of calls and the line about missing entries. Text that a
/// person wrote below the list stays.
fn notes(content: &str) -> String {
    let lines: Vec<_> = content.lines().collect();
    let list = lines.iter().rposition(|line| *line == DONE).unwrap_or(lines.len());
    let below = lines[list..].iter().skip(1).skip_while(|line| line.starts_with("- "));
    let above = lines[..list].join("\n");
    let above = above.trim_end();
    let above = above.strip_suffix(DROPPED).unwrap_or(above).trim_end();
    let below: Vec<_> = below.copied().collect();
    format!("{above}\n\n{}", below.join("\n").trim_end()).trim().to_owned()
}

/// The least and the greatest number of bytes of a summary.
const MIN_SUMMARY: u64 = 400;
const MAX_SUMMARY: u64 = 16 * 1024;
