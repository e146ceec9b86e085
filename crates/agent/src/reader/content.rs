//! The content of an answer so far, and the reason for its end.
//!
//! This module carries out the instructions of the accumulator.

use silcrow_accumulate::{Step, StopReason};
use silcrow_event::{Event, Respond};
use silcrow_provider as provider;
use silcrow_provider::FinishReason;

use crate::error::{Error, ErrorKind};
use crate::outbox::Outbox;
use crate::sink::OutputSink;

/// The content of an answer so far.
#[derive(Default)]
pub(super) struct AnswerContent {
    /// The reason why the answer is read no further, once there is one.
    pub(super) end: Option<AnswerEnd>,
    /// Whether the model wrote something to which it expects an answer (P-22).
    pub(super) is_continued: bool,
    /// Whether the model wrote a final answer.
    pub(super) is_answered: bool,
    /// The names in answers that are not bound, and whether their calls failed.
    pub(super) unbound: Vec<(String, bool)>,
}

/// The reason why an answer is read no further.
pub(crate) enum AnswerEnd {
    /// The answer is complete, or at its execution point.
    Well,
    /// The answer failed, and no more calls are started.
    Badly(Error),
    /// The run is stopped.
    Cancelled,
}

/// Returns the error of an answer that ended for a reason that leaves it incomplete.
pub(super) fn incomplete(finish: FinishReason) -> Error {
    let (kind, why) = match finish {
        FinishReason::Length => {
            let why = "the answer reached the model's length limit; ask for less, or continue";
            (ErrorKind::Length, why)
        }
        FinishReason::Filter => {
            let why = "the provider withheld the rest of the answer; ask in another way";
            (ErrorKind::Filter, why)
        }
        finish => {
            let why =
                format!("the answer ended in a way that is not known ({finish:?}); run again");
            return provider::Error::new(provider::ErrorKind::Malformed, why).into();
        }
    };
    Error::new(kind, why)
}

impl AnswerContent {
    /// Carries out an instruction of the accumulator.
    pub(super) fn apply(&mut self, step: Step<'_>, outbox: &mut Outbox, sink: &mut OutputSink<'_>) {
        match step {
            Step::Show(text) => outbox.text(text, sink),
            Step::ShowCall(text) => outbox.call_text(text, sink),
            Step::Emit(event) => {
                self.is_continued |= matches!(
                    event,
                    Event::Call(_) | Event::Result(_) | Event::Respond(Respond { last: false, .. })
                );
                self.is_answered |= matches!(event, Event::Respond(Respond { last: true, .. }));
                outbox.event(event);
            }
            Step::Stop(StopReason::TooMuch) => {
                let why = "the model wrote more than a turn may hold; ask for less";
                self.end = Some(AnswerEnd::Badly(Error::new(ErrorKind::TooMuch, why)));
            }
            Step::Report(update) => outbox.report(update),
            Step::Unbound { name, has_failed } => self.unbound.push((name.to_owned(), has_failed)),
            Step::Stop(_) => self.end = Some(AnswerEnd::Well),
            _ => {}
        }
    }
}
