//! What an accumulator says.

use silcrow_event::{CallTextFragment, Event, TextFragment};
use silcrow_plan::PlanUpdate;

/// Something to do for the caller of an [`Accumulator`](crate::Accumulator). Steps are done in
/// order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Show a piece of text at once.
    Show(TextFragment<'a>),
    /// Show a piece of a call that is being written. Nothing of it may run.
    ShowCall(CallTextFragment<'a>),
    /// Store a complete event, if events of its type are stored, and then show it.
    Emit(Event),
    /// Show that a call has ended, or that a name is bound. Nothing of it is stored.
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
