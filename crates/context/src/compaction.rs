//! When a context is compacted, and how far.
//!
//! It measures requests with a function of the caller, because each vendor counts tokens in its own
//! way. It asks no model: [`SummaryTask`] says what to ask.

use std::collections::BTreeSet;

use silcrow_event::{ContextSummary, Entry, Event, Message, SummaryAuthor};

use crate::assemble::assemble;
use crate::assembler::ContextAssembler as _;
use crate::digest::{DONE, digest, done};
use crate::history::CompactedHistory;
use crate::input::{ContextInput, ModelLimits};
use crate::view::{boundary, last_summary, position};

/// When a context is compacted, and how much of it stays as it is, in percent of the tokens that a
/// model reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactionOptions {
    /// The part of the window from which a context is compacted. By default 70.
    pub start: u8,
    /// The part of the window that the newest turns keep. By default 20.
    pub keep: u8,
}

impl Default for CompactionOptions {
    fn default() -> Self {
        Self { start: 70, keep: 20 }
    }
}

impl CompactionOptions {
    /// Sets the part of the window from which a context is compacted, in percent.
    #[must_use]
    pub const fn with_start(self, percent: u8) -> Self {
        Self { start: percent, ..self }
    }

    /// Sets the part of the window that the newest turns keep, in percent.
    #[must_use]
    pub const fn with_keep(self, percent: u8) -> Self {
        Self { keep: percent, ..self }
    }
}

/// What makes a context shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compaction {
    /// Older thoughts are left out and long results are shortened. No model is asked: the summary is
    /// stored as it is.
    Shorten(ContextSummary),
    /// The oldest turns are summarized by a model.
    Summarize(Box<SummaryTask>),
}

/// The oldest turns of a conversation, which a model is to summarize.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryTask {
    messages: Vec<Message>,
    until: u64,
    earlier: String,
    done: String,
    longest: usize,
}

impl SummaryTask {
    /// Returns the messages of the request. The answer is plain text.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the event to store, with the model's answer. An answer that is too long is cut.
    pub fn summary(&self, answer: &str) -> ContextSummary {
        let answer = answer.trim();
        if answer.is_empty() {
            return self.without_model();
        }
        self.event(cut(answer, self.longest), SummaryAuthor::Model)
    }

    /// Returns the event to store if no model answers: the earlier summary, and a line that says what
    /// is missing.
    pub fn without_model(&self) -> ContextSummary {
        let text = format!("{}\n\n{DROPPED}", cut(&self.earlier, self.longest));
        self.event(text.trim(), SummaryAuthor::Framework)
    }

    fn event(&self, text: &str, author: SummaryAuthor) -> ContextSummary {
        let content = format!("{text}\n\n{}", self.done).trim().to_owned();
        ContextSummary { content, until: self.until, shortened: self.until, author }
    }
}

/// Returns the number of tokens that the messages of a request may have: the window without the part
/// of it that is kept for the answer. `None` if the window is not known.
pub fn input_window(limits: ModelLimits) -> Option<u64> {
    let window = limits.context?;
    let answer = limits.output.unwrap_or(window / 8).min(window / 4);
    Some(window - answer)
}

/// Returns whether a request with this many tokens is to be compacted. It never is if the window is not
/// known.
pub fn is_compaction_due(limits: ModelLimits, options: CompactionOptions, tokens: u64) -> bool {
    input_window(limits).is_some_and(|window| {
        tokens.saturating_mul(100) >= window.saturating_mul(options.start.into())
    })
}

/// Returns what makes the context of a request shorter. `tokens` counts the tokens of messages. Where
/// the window is not known, only the newest turn stays.
///
/// It returns `None` if there is nothing to leave out: the newest turn is never summarized. After the
/// event of the result is stored, the same input with that event is shorter. It may still be too
/// long, and then it is compacted again.
pub fn compact(
    input: &ContextInput<'_>,
    options: CompactionOptions,
    tokens: &dyn Fn(&[Message]) -> u64,
) -> Option<Compaction> {
    let window = input_window(input.limits);
    let share = |percent: u8| window.map_or(0, |window| window * u64::from(percent) / 100);
    let last = last_summary(input.entries).map(|(_, last)| last.clone()).unwrap_or_default();
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
        let used = tokens(&CompactedHistory.assemble(&input.with_entries(&entries)));
        let middle = u64::from(options.keep.midpoint(options.start));
        if used.saturating_mul(100) <= window?.saturating_mul(middle) {
            return Some(Compaction::Shorten(shortened));
        }
    }
    Some(Compaction::Summarize(Box::new(task(input, &last, first, &begins[..=kept], tokens))))
}

/// Returns the task of summarizing as many of the oldest turns as one request can have.
fn task(
    input: &ContextInput<'_>,
    last: &ContextSummary,
    begin: usize,
    begins: &[usize],
    tokens: &dyn Fn(&[Message]) -> u64,
) -> SummaryTask {
    let notes = notes(&last.content);
    let most = input_window(input.limits).unwrap_or(u64::MAX) / 2;
    let longest = most.saturating_mul(4).div_ceil(5).clamp(MIN_SUMMARY, MAX_SUMMARY) as usize;
    let messages = |end: usize| digest(&input.entries[begin..end], notes, longest);
    let is_short = |end: usize| tokens(&messages(end)) <= most;
    let count = begins.partition_point(|&end| is_short(end)).max(1);
    let end = begins[count - 1];
    SummaryTask {
        messages: messages(end),
        until: position(input.entries, end).saturating_sub(1),
        earlier: notes.to_owned(),
        done: done(&input.entries[..end], longest / 2),
        longest,
    }
}

/// Returns where turns begin after the one that begins at `first`.
fn begins(entries: &[Entry], first: usize) -> Vec<usize> {
    let mut turns: BTreeSet<_> = entries[..first].iter().filter_map(|entry| entry.turn).collect();
    let mut is_begin = |entry: &Entry| match entry.turn {
        Some(turn) => turns.insert(turn),
        None => matches!(entry.event, Event::User { steer: false, .. }),
    };
    let begins = (first..entries.len()).filter(|&index| is_begin(&entries[index]));
    begins.filter(|&index| index > first).collect()
}

/// Returns the index of the first entry that a summary up to a position does not replace.
fn begin_after(entries: &[Entry], until: u64) -> usize {
    let after = (0..entries.len()).find(|&index| position(entries, index) > until);
    boundary(entries, after.unwrap_or(entries.len()))
}

/// Returns a summary without the list of calls and the line for what is missing.
fn notes(content: &str) -> &str {
    let notes = content.split_once(DONE).map_or(content, |(notes, _)| notes).trim_end();
    notes.strip_suffix(DROPPED).unwrap_or(notes).trim_end()
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The line for turns that no model summarized.
const DROPPED: &str = "[Older messages are left out here without a summary.]";

/// The least and the greatest number of bytes of a summary.
const MIN_SUMMARY: u64 = 400;
const MAX_SUMMARY: u64 = 16 * 1024;
