use std::collections::VecDeque;
use std::time::Duration;

use silcrow_accumulate::{Step, Why};
use silcrow_event::{CallText, Entry, Event, Place, Respond, Text, Voice};
use silcrow_plan::{Decision, Ready};

use crate::agent::Output;
use crate::error::{Error, ErrorKind};
use crate::tap::Tap;

/// What a turn's accumulator said, as far as it needs the store or the runner, or stands behind
/// what does.
pub(crate) struct Steps {
    turn: u32,
    waiting: VecDeque<Do>,
    /// Why the answer is read no further.
    pub(crate) end: Option<End>,
    /// Something was written that an answer to the model follows on (P-22).
    pub(crate) is_continued: bool,
    /// A final answer was written.
    pub(crate) is_said: bool,
    /// A thought was written, or given beside the wire.
    pub(crate) is_thought: bool,
}

pub(crate) enum Do {
    Show(Piece),
    Emit(Event),
    /// Keep a person's yes for the conversation: to the call of this id, and what it covers.
    Grant(String, String),
    /// Show what another log holds.
    Pass(Box<Entry>),
    Start(Ready),
    Stop(String),
    /// Another attempt at a call, after a pause.
    Retry(String, Duration),
}

/// Why the answer is read no further.
pub(crate) enum End {
    /// Its end, or the execution point.
    Well,
    /// It ended badly: nothing more is started.
    Badly(Error),
    Cancelled,
}

/// A piece that waits for the events before it to be stored.
pub(crate) struct Piece {
    text: String,
    of: Of,
}

enum Of {
    Text(Voice, u32),
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
    pub(crate) fn take(&mut self, step: Step<'_>, tap: &mut Tap<'_>) {
        let is_next = self.waiting.is_empty();
        match step {
            Step::Show(text) if is_next => {
                let place = tap.log.place(self.turn);
                tap.show(Output::Text(text, place));
            }
            Step::ShowCall(text) if is_next => {
                let place = tap.log.place(self.turn);
                tap.show(Output::CallText(text, place));
            }
            Step::Show(text) => self.push(Do::Show(text.into())),
            Step::ShowCall(text) => self.push(Do::Show(text.into())),
            Step::Emit(event) => {
                self.is_continued |= matches!(
                    event,
                    Event::Call(_) | Event::Result(_) | Event::Respond(Respond { last: false, .. })
                );
                self.is_said |= matches!(event, Event::Respond(Respond { last: true, .. }));
                self.is_thought |= matches!(event, Event::Think(_));
                self.push(Do::Emit(event));
            }
            Step::Plan(Decision::Start(ready)) => self.push(Do::Start(ready)),
            Step::Plan(Decision::Stop { id }) => self.push(Do::Stop(id)),
            Step::Plan(Decision::Retry { id, after }) => self.push(Do::Retry(id, after)),
            Step::Stop(Why::TooMuch) => {
                self.end = Some(End::Badly(Error::new(
                    ErrorKind::TooMuch,
                    "the model wrote more than a turn may hold; ask for less",
                )));
            }
            Step::Stop(_) => self.end = Some(End::Well),
            _ => {}
        }
    }

    pub(crate) fn push(&mut self, step: Do) {
        self.waiting.push_back(step);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn pop(&mut self) -> Option<Do> {
        self.waiting.pop_front()
    }
}

impl Piece {
    pub(crate) fn show(&self, tap: &mut Tap<'_>, place: Place) {
        let text = &*self.text;
        tap.show(match &self.of {
            Of::Text(voice, part) => Output::Text(Text { voice: *voice, part: *part, text }, place),
            Of::Call(call, name) => {
                Output::CallText(CallText { call: *call, name: name.as_deref(), text }, place)
            }
        });
    }
}

impl From<Text<'_>> for Piece {
    fn from(Text { voice, part, text }: Text<'_>) -> Self {
        Self { text: text.to_owned(), of: Of::Text(voice, part) }
    }
}

impl From<CallText<'_>> for Piece {
    fn from(CallText { call, name, text }: CallText<'_>) -> Self {
        Self { text: text.to_owned(), of: Of::Call(call, name.map(str::to_owned)) }
    }
}
