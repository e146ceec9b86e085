//! The messages that a log becomes (section 9 of the protocol).
//!
//! The log is read once, in order. At most one turn of the model is open at a time: it collects
//! what the model wrote and the results of its calls, and is written when the next turn or a
//! message of the person begins. This module does not know how a message is spelled, which
//! `transcript` does.

use std::borrow::Cow;
use std::collections::BTreeSet;

use silcrow_event::{Call, CallMode, CallResult, Entry, Event, Message, ThoughtOrigin};
use silcrow_parser::{Dialect, Options};

use crate::pair;
use crate::transcript::Transcript;

/// An event of a log, with the number of its turn if the log has it.
#[derive(Clone, Copy, Debug)]
pub struct LoggedEvent<'a> {
    event: &'a Event,
    turn: Option<u32>,
}

impl<'a> From<&'a Event> for LoggedEvent<'a> {
    fn from(event: &'a Event) -> Self {
        Self { event, turn: None }
    }
}

impl<'a> From<&'a Entry> for LoggedEvent<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self { event: &entry.event, turn: entry.turn }
    }
}

/// Returns the messages for the events of a log (section 9), without the system message.
///
/// An event with the number of its turn belongs to that turn, even if results of a turn of actions
/// are between the model's words. Without a number, the model's words after results begin its next
/// turn.
///
/// Roles alternate, the first is the person's, and no message is empty:
///
/// - The model's words and calls before its results are one assistant message. It ends with the
///   execution point if there are calls. It ends with the end delimiter if its last event is an
///   answer, and the person speaks next or the log ends.
/// - The results of its calls, in the order of the calls, begin the next user message. Those of
///   malformed calls keep their place (P-9), and a call without a result gets one that says so.
/// - The person's words follow in the same message, after an end delimiter, so that neither can
///   pass for the other. A blank line separates the parts of a message.
/// - A run that was stopped, by the person or by a failure, is a line in brackets in a user
///   message.
/// - A stored notice, which is about the model's last answer, is a part of the next user message.
/// - Actions that run in the background have no result here (P-24).
/// - A log that begins with the model's words gets a line in brackets before them.
///
/// It leaves out thoughts that a provider reported beside the wire text, blank texts, and events
/// that only people need, such as approvals, metrics and errors.
///
/// More events change no message except the last one. Only if the log stops between a call and its
/// results, the last two may change.
pub fn assemble<'a>(
    events: impl IntoIterator<Item = impl Into<LoggedEvent<'a>>>,
    options: impl Into<Options>,
) -> Vec<Message> {
    transcript(events, options.into()).into_messages()
}

/// Returns the same messages, with a notice of the framework at the end. No result can pass for it.
pub fn assemble_with_notice<'a>(
    events: impl IntoIterator<Item = impl Into<LoggedEvent<'a>>>,
    options: impl Into<Options>,
    notice: &str,
) -> Vec<Message> {
    let mut talk = transcript(events, options.into());
    talk.notice(notice);
    talk.into_messages()
}

fn transcript<'a>(
    events: impl IntoIterator<Item = impl Into<LoggedEvent<'a>>>,
    options: Options,
) -> Transcript {
    let mut talk = Transcript::new(options);
    let mut turn = LoggedTurn::default();
    // Calls whose results the model does not read, by turn and id.
    let mut unawaited = BTreeSet::new();
    for logged in events {
        let LoggedEvent { event, turn: number } = logged.into();
        match event {
            Event::User { content } if is_blank(&content.text()) => {}
            Event::User { content } => {
                turn.take().write(true, &mut talk);
                talk.person(&content.text());
            }
            Event::Cancelled { .. } => {
                turn.take().write(false, &mut talk);
                talk.notice(STOPPED);
            }
            Event::Notice { content } => {
                turn.take().write(false, &mut talk);
                talk.notice(content);
            }
            Event::Think(_) | Event::Respond(_) | Event::Call(_) if is_silent(event) => {}
            Event::Think(_) | Event::Respond(_) | Event::Call(_) => {
                if turn.is_over(number) {
                    turn.take().write(false, &mut talk);
                }
                turn.number = number;
                if let Event::Call(call) = event
                    && !is_awaited(call)
                {
                    unawaited.insert((number, call.id()));
                }
                turn.said.push(event);
            }
            // The result of a call in the background, in this turn or an earlier one.
            Event::Result(outcome)
                if outcome
                    .id
                    .as_ref()
                    .is_some_and(|id| unawaited.contains(&(number, id.as_str()))) => {}
            Event::Execute => turn.executed = turn.has_calls(),
            Event::Result(outcome) => turn.results.push(Cow::Borrowed(outcome)),
            Event::Batch(batch) => {
                turn.results.extend(batch.unfold().into_iter().map(Cow::Owned));
            }
            _ => {}
        }
    }
    turn.write(true, &mut talk);
    talk
}

/// The line for a run that was stopped.
const STOPPED: &str = "[The run was stopped here.]";

/// The model's words before an execution point or an end, and the results of its calls.
#[derive(Default)]
struct LoggedTurn<'a> {
    number: Option<u32>,
    said: Vec<&'a Event>,
    results: Vec<Cow<'a, CallResult>>,
    /// Whether the log has an event for the execution point.
    executed: bool,
}

impl<'a> LoggedTurn<'a> {
    fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Returns whether an event with this number belongs to another turn.
    fn is_over(&self, number: Option<u32>) -> bool {
        match (self.number, number) {
            (Some(this), Some(other)) => this != other,
            _ => self.executed || !self.results.is_empty(),
        }
    }

    fn has_calls(&self) -> bool {
        self.said.iter().any(|event| matches!(event, Event::Call(_)))
    }

    fn calls(&self) -> Vec<&'a Call> {
        let call = |event: &&'a Event| match event {
            Event::Call(call) if is_awaited(call) => Some(call),
            _ => None,
        };
        self.said.iter().filter_map(call).collect()
    }

    /// Writes the turn. `is_last` is whether the person speaks next, or the log ends.
    fn write(mut self, is_last: bool, talk: &mut Transcript) {
        let has_calls = self.has_calls();
        let results = pair::by_call(&self.calls(), self.results);
        let answered = matches!(self.said.last(), Some(Event::Respond(_)));
        if has_calls {
            if talk.options().dialect == Dialect::Phase {
                // In `phase` the calls of a turn are one list right before the execution point.
                self.said.sort_by_key(|event| matches!(event, Event::Call(_)));
            }
            self.said.push(&Event::Execute);
        } else if answered && results.is_empty() && is_last {
            self.said.push(&Event::End);
        }
        if !self.said.is_empty() {
            talk.model(self.said);
        }
        if !results.is_empty() {
            talk.results(results.iter().map(AsRef::as_ref));
        }
    }
}

/// Returns whether the model reads the result of a call (P-24).
fn is_awaited(call: &Call) -> bool {
    call.action().is_none_or(|action| action.mode != CallMode::FireAndForget)
}

/// Returns whether an event has no text for the model.
fn is_silent(event: &Event) -> bool {
    match event {
        Event::Think(think) => think.origin == ThoughtOrigin::Provider || is_blank(&think.content),
        Event::Respond(respond) => {
            is_blank(&respond.content) || respond.wire.as_deref().is_some_and(is_blank)
        }
        _ => false,
    }
}

/// Returns whether a text is only white space of the wire (P-4).
fn is_blank(text: &str) -> bool {
    text.trim_matches([' ', '\t', '\r', '\n']).is_empty()
}
