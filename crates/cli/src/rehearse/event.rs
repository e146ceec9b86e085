//! What happens in a rehearsal, as the outputs show it.
//!
//! It knows steps, decisions and updates of the turn, and neither how they come about nor how they
//! are printed.

use std::time::Duration;

use silcrow_accumulate::Step;
use silcrow_event::{Event, Json, TextFragment, TextKind};
use silcrow_plan::{CallEnd, PlanDecision, PlanUpdate, ReadyCall};

/// An event of a rehearsal with its virtual time, counted from the first token.
pub(crate) struct TimedEvent {
    pub(crate) at: Duration,
    pub(crate) event: RehearsalEvent,
}

/// Something that happens in a rehearsal.
pub(crate) enum RehearsalEvent {
    /// The turn emits an event.
    Emitted(Event),
    /// An attempt at a call starts.
    Started(ReadyCall),
    /// A call ends; the reason is there unless it ends well.
    Ended { id: String, end: CallEnd, reason: Option<String> },
    /// An output gets a name.
    Bound { name: String, value: Json },
    /// A piece of the answer is shown.
    Answered(String),
    /// An attempt failed, and another follows after a pause.
    Paused { id: String },
    /// The turn is over; only calls in the background may still run.
    Done,
}

impl RehearsalEvent {
    /// Returns what a step of the accumulator shows. The reason of an end is not known here.
    pub(crate) fn from_step(step: Step<'_>) -> Option<Self> {
        Some(match step {
            Step::Show(TextFragment { kind: TextKind::Respond { .. }, text, .. }) => {
                Self::Answered(text.to_owned())
            }
            Step::Emit(event) => Self::Emitted(event),
            Step::Report(PlanUpdate::End { id, how }) => Self::Ended { id, end: how, reason: None },
            Step::Report(PlanUpdate::Bind { name, value }) => Self::Bound { name, value },
            _ => return None,
        })
    }

    /// Returns what a decision of the plan shows.
    pub(crate) fn from_decision(decision: &PlanDecision) -> Option<Self> {
        match decision {
            PlanDecision::Start(ready) => Some(Self::Started(ready.clone())),
            PlanDecision::Retry { id, .. } => Some(Self::Paused { id: id.clone() }),
            _ => None,
        }
    }
}
