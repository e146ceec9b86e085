use std::collections::VecDeque;

use silcrow_accumulate::{Step, Why};
use silcrow_event::{CallText, Event, Place, Text, Voice};
use silcrow_plan::{Decision, Ready};

use crate::agent::Output;
use crate::error::{Error, ErrorKind};
use crate::log::Log;

/// A step that needs the store, or stands behind one.
pub(crate) enum Do {
    Show(Piece),
    Emit(Event),
    Run(Ready),
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

type Show<'s> = dyn FnMut(Output<'_>) + Send + 's;

/// Shows a piece at once, if nothing stands before it; every other step waits.
pub(crate) fn take(
    step: Step<'_>,
    show: &mut Show<'_>,
    log: &Log<'_>,
    steps: &mut VecDeque<Do>,
    end: &mut Option<End>,
) {
    match step {
        Step::Show(text) if steps.is_empty() => show(Output::Text(text, log.place())),
        Step::ShowCall(text) if steps.is_empty() => show(Output::CallText(text, log.place())),
        Step::Show(text) => steps.push_back(Do::Show(text.into())),
        Step::ShowCall(text) => steps.push_back(Do::Show(text.into())),
        Step::Emit(event) => steps.push_back(Do::Emit(event)),
        Step::Plan(Decision::Start(ready)) => steps.push_back(Do::Run(ready)),
        Step::Stop(Why::TooMuch) => {
            *end = Some(End::Badly(Error::new(
                ErrorKind::TooMuch,
                "the model wrote more than a turn may hold; ask for less",
            )));
        }
        Step::Stop(_) => *end = Some(End::Well),
        _ => {}
    }
}

impl Piece {
    pub(crate) fn show(&self, show: &mut Show<'_>, place: Place) {
        let text = &*self.text;
        show(match &self.of {
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
