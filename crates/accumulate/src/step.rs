//! The steps of an accumulator: its output, for the caller to carry out.
//!
//! This module is data. It does not know when a step is taken.

use silcrow_event::{CallTextFragment, Event, TextFragment};
use silcrow_plan::PlanUpdate;

/// An instruction of an [`Accumulator`](crate::Accumulator) to its caller. Steps are carried out in
/// order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Show a piece of text at once.
    Show(TextFragment<'a>),
    /// Show a piece of a call that is being written. It is never run.
    ShowCall(CallTextFragment<'a>),
    /// Store a complete event, if events of its type are stored, and then show it.
    Emit(Event),
    /// Show that a call has ended, or that a name is bound or unbound. This is not stored.
    Report(PlanUpdate),
    /// Stop reading the answer.
    Stop(StopReason),
}

/// The reason why reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model waits for the results of its calls.
    Execute,
    /// The model is done.
    End,
    /// The turn is longer than its limits allow.
    TooMuch,
}
