use std::borrow::Cow;

use silcrow_event::{Call, Event, Message, Origin, Outcome};
use silcrow_parser::{Dialect, Options};

use crate::pair;
use crate::talk::Talk;

/// The messages that tell a model what a log holds (section 9), without the system message.
///
/// Roles alternate, the first is the person's, and none is empty:
///
/// - What the model said and called up to its results is one assistant message. The execution
///   point closes it if there are calls; the end closes it if its last event is an answer and the
///   person speaks next or the log is over.
/// - The results of its calls, in the order of the calls, begin the next user message. Those of
///   malformed calls keep their place (P-9), and a call without a result gets one that says so.
/// - What the person says follows them in the same message, behind an end marker: neither side
///   can pass for the other. Parts of a message are a blank line apart.
/// - That a run was stopped, by the person or by a failure, is a line in brackets in a user message.
/// - A log that begins with the model's words gets a line in brackets before them.
///
/// Thoughts that a provider gave beside the wire, blank texts and what only people need (approvals,
/// metrics, errors) are left out.
///
/// A longer log leaves all messages but the last as they are. Only where the log stops between a
/// call and its results may the last two change.
pub fn assemble<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    options: impl Into<Options>,
) -> Vec<Message> {
    tell(events, options.into()).into_messages()
}

/// The same, with a word of the framework's behind the last message, which no result can pass for.
pub fn assemble_with_notice<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    options: impl Into<Options>,
    notice: &str,
) -> Vec<Message> {
    let mut talk = tell(events, options.into());
    talk.notice(notice);
    talk.into_messages()
}

fn tell<'a>(events: impl IntoIterator<Item = &'a Event>, options: Options) -> Talk {
    let mut talk = Talk::new(options);
    let mut turn = Turn::default();
    for event in events {
        match event {
            Event::User { content } if is_blank(content) => {}
            Event::User { content } => {
                turn.take().write(true, &mut talk);
                talk.person(content);
            }
            Event::Cancelled { .. } => {
                turn.take().write(false, &mut talk);
                talk.notice(STOPPED);
            }
            Event::Think(_) | Event::Respond(_) | Event::Call(_) if is_silent(event) => {}
            Event::Think(_) | Event::Respond(_) | Event::Call(_) => {
                if turn.is_over() {
                    turn.take().write(false, &mut talk);
                }
                turn.said.push(event);
            }
            Event::Execute => turn.executed = turn.has_calls(),
            Event::Result(outcome) => turn.results.push(Cow::Borrowed(outcome)),
            Event::Batch(batch) => {
                turn.results.extend(pair::unfold(batch).into_iter().map(Cow::Owned));
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
    said: Vec<&'a Event>,
    results: Vec<Cow<'a, Outcome>>,
    /// The log has an execution point of its own.
    executed: bool,
}

impl<'a> Turn<'a> {
    fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Whether what the model says next belongs to another turn.
    fn is_over(&self) -> bool {
        self.executed || !self.results.is_empty()
    }

    fn has_calls(&self) -> bool {
        self.said.iter().any(|event| matches!(event, Event::Call(_)))
    }

    fn calls(&self) -> Vec<&'a Call> {
        let call = |event: &&'a Event| match event {
            Event::Call(call) => Some(call),
            _ => None,
        };
        self.said.iter().filter_map(call).collect()
    }

    /// Ends the turn; `is_last` where the person speaks next, or nobody.
    fn write(mut self, is_last: bool, talk: &mut Talk) {
        let calls = self.calls();
        let results = pair::by_call(&calls, self.results);
        let answered = matches!(self.said.last(), Some(Event::Respond(_)));
        if !calls.is_empty() {
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

/// Whether the model gets nothing to read of it.
fn is_silent(event: &Event) -> bool {
    match event {
        Event::Think(think) => think.origin == Origin::Provider || is_blank(&think.content),
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
