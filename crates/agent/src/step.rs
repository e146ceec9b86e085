use std::collections::VecDeque;
use std::time::Duration;

use silcrow_accumulate::{Step, StopReason};
use silcrow_event::{
    CallTextFragment, Entry, Event, LogPosition, Respond, RunEventRef, TextFragment, TextKind,
};
use silcrow_plan::{PlanDecision, ReadyCall};

use crate::error::{Error, ErrorKind};
use crate::sink::OutputSink;

/// What a turn's accumulator said, as far as it needs the store or the runner, or stands behind
/// what does.
pub(crate) struct Steps {
    turn: u32,
    waiting: VecDeque<PendingStep>,
    /// Why the answer is read no further.
    pub(crate) end: Option<AnswerEnd>,
    /// Something was written that an answer to the model follows on (P-22).
    pub(crate) is_continued: bool,
    /// A final answer was written.
    pub(crate) is_said: bool,
    /// A thought was written, or given beside the wire.
    pub(crate) is_thought: bool,
}

pub(crate) enum PendingStep {
    Show(PendingText),
    Emit(Event),
    /// Keep a person's yes for the conversation: to the call of this id, and what it covers.
    Grant(String, String),
    /// Show what another log holds.
    Pass(Box<Entry>),
    Start(ReadyCall),
    Stop(String),
    /// Another attempt at a call, after a pause.
    Retry(String, Duration),
}

/// Why the answer is read no further.
pub(crate) enum AnswerEnd {
    /// Its end, or the execution point.
    Well,
    /// It ended badly: nothing more is started.
    Badly(Error),
    Cancelled,
}

/// A piece that waits for the events before it to be stored.
pub(crate) struct PendingText {
    text: String,
    of: FragmentSource,
}

enum FragmentSource {
    Text(TextKind, u32),
    Call(u32, Option<String>),
}

impl Steps {
    pub(crate) const fn new(turn: u32) -> Self {
        Self {
            turn,
            waiting: VecDeque::new(),
            end: None,
            is_continued: false,
            is_said: false,
            is_thought: false,
        }
    }

    /// Shows a piece at once, if nothing stands before it; every other step waits.
    pub(crate) fn take(&mut self, step: Step<'_>, tap: &mut OutputSink<'_>) {
        let is_next = self.waiting.is_empty();
        match step {
            Step::Show(text) if is_next => {
                let place = tap.log.place(self.turn);
                tap.show(RunEventRef::Text(text, place));
            }
            Step::ShowCall(text) if is_next => {
                let place = tap.log.place(self.turn);
                tap.show(RunEventRef::CallText(text, place));
            }
            Step::Show(text) => self.push(PendingStep::Show(text.into())),
            Step::ShowCall(text) => self.push(PendingStep::Show(text.into())),
            Step::Emit(event) => {
                self.is_continued |= matches!(
                    event,
                    Event::Call(_) | Event::Result(_) | Event::Respond(Respond { last: false, .. })
                );
                self.is_said |= matches!(event, Event::Respond(Respond { last: true, .. }));
                self.is_thought |= matches!(event, Event::Think(_));
                self.push(PendingStep::Emit(event));
            }
            Step::Plan(PlanDecision::Start(ready)) => self.push(PendingStep::Start(ready)),
            Step::Plan(PlanDecision::Stop { id }) => self.push(PendingStep::Stop(id)),
            Step::Plan(PlanDecision::Retry { id, after }) => {
                self.push(PendingStep::Retry(id, after))
            }
            Step::Stop(StopReason::TooMuch) => {
                self.end = Some(AnswerEnd::Badly(Error::new(
                    ErrorKind::TooMuch,
                    "the model wrote more than a turn may hold; ask for less",
                )));
            }
            Step::Stop(_) => self.end = Some(AnswerEnd::Well),
            _ => {}
        }
    }

    pub(crate) fn push(&mut self, step: PendingStep) {
        self.waiting.push_back(step);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn pop(&mut self) -> Option<PendingStep> {
        self.waiting.pop_front()
    }
}

impl PendingText {
    pub(crate) fn show(&self, tap: &mut OutputSink<'_>, place: LogPosition) {
        let text = &*self.text;
        tap.show(match &self.of {
            FragmentSource::Text(voice, part) => {
                RunEventRef::Text(TextFragment { voice: *voice, part: *part, text }, place)
            }
            FragmentSource::Call(call, name) => RunEventRef::CallText(
                CallTextFragment { call: *call, name: name.as_deref(), text },
                place,
            ),
        });
    }
}

impl From<TextFragment<'_>> for PendingText {
    fn from(TextFragment { voice, part, text }: TextFragment<'_>) -> Self {
        Self { text: text.to_owned(), of: FragmentSource::Text(voice, part) }
    }
}

impl From<CallTextFragment<'_>> for PendingText {
    fn from(CallTextFragment { call, name, text }: CallTextFragment<'_>) -> Self {
        Self { text: text.to_owned(), of: FragmentSource::Call(call, name.map(str::to_owned)) }
    }
}
