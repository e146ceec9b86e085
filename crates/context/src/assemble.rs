use std::borrow::Cow;
use std::collections::BTreeSet;

use silcrow_event::{Call, CallMode, CallResult, Entry, Event, Message, ThoughtOrigin};
use silcrow_parser::{Dialect, Options};

use crate::pair;
use crate::transcript::Transcript;

/// What a log holds of one event: the event, and the turn it belongs to, where the log says so.
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

/// The messages that tell a model what a log holds (section 9), without the system message.
///
/// Events that carry the number of their turn belong together as it says: of an action's turn,
/// results may stand between what the model wrote. Of events without one, what the model says
/// behind results belongs to its next turn.
///
/// Roles alternate, the first is the person's, and none is empty:
///
/// - What the model said and called up to its results is one assistant message. The execution
///   point closes it if there are calls; the end closes it if its last event is an answer and the
///   person speaks next or the log is over.
/// - The results of its calls, in the order of the calls, begin the next user message. Those of
///   malformed calls keep their place (P-9), and a call without a result gets one that says so.
/// - What the person says follows them in the same message, behind an end delimiter: neither side
///   can pass for the other. Parts of a message are a blank line apart.
/// - That a run was stopped, by the person or by a failure, is a line in brackets in a user message.
/// - A stored notice, which tells the model about its last answer, is a part of the next user
///   message.
/// - Of actions that nobody waits for, the model gets no result (P-24).
/// - A log that begins with the model's words gets a line in brackets before them.
///
/// Thoughts that a provider gave beside the wire, blank texts and what only people need (approvals,
/// metrics, errors) are left out.
///
/// A longer log leaves all messages but the last as they are. Only where the log stops between a
/// call and its results may the last two change.
pub fn assemble<'a>(
    events: impl IntoIterator<Item = impl Into<LoggedEvent<'a>>>,
    options: impl Into<Options>,
) -> Vec<Message> {
    transcript(events, options.into()).into_messages()
}

/// The same, with a word of the framework's behind the last message, which no result can pass for.
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
    let mut turn = Turn::default();
    // Calls without a result for the model, by turn and id.
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
            // It belongs to an earlier turn, or to this one: the model gets none.
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

/// What the model is told of a stop.
const STOPPED: &str = "[The run was stopped here.]";

/// What the model wrote up to an execution point or an end, and what came of it.
#[derive(Default)]
struct Turn<'a> {
    number: Option<u32>,
    said: Vec<&'a Event>,
    results: Vec<Cow<'a, CallResult>>,
    /// The log has an execution point of its own.
    executed: bool,
}

impl<'a> Turn<'a> {
    fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Whether what the model says in a turn of this number belongs to another one.
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

    /// Ends the turn; `is_last` where the person speaks next, or nobody.
    fn write(mut self, is_last: bool, talk: &mut Transcript) {
        let has_calls = self.has_calls();
        let results = pair::by_call(&self.calls(), self.results);
        let answered = matches!(self.said.last(), Some(Event::Respond(_)));
        if has_calls {
            if talk.options().dialect == Dialect::Phase {
                // The calls of a turn are one list there, right before the execution point.
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

/// Whether the model gets a result of it (P-24).
fn is_awaited(call: &Call) -> bool {
    call.action().is_none_or(|action| action.mode != CallMode::FireAndForget)
}

/// Whether the model gets nothing to read of it.
fn is_silent(event: &Event) -> bool {
    match event {
        Event::Think(think) => think.origin == ThoughtOrigin::Provider || is_blank(&think.content),
        Event::Respond(respond) => {
            is_blank(&respond.content) || respond.wire.as_deref().is_some_and(is_blank)
        }
        _ => false,
    }
}

/// White space as the wire knows it (P-4).
fn is_blank(text: &str) -> bool {
    text.trim_matches([' ', '\t', '\r', '\n']).is_empty()
}
