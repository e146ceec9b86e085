use silcrow_event::{CallTextFragment, Event, TextFragment};
use silcrow_plan::PlanDecision;

/// What is to be done, in this order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Show a piece of text at once.
    Show(TextFragment<'a>),
    /// Show a piece of a call that is being written; nothing of it may run.
    ShowCall(CallTextFragment<'a>),
    /// Store a complete event, if it is one to store, then show it.
    Emit(Event),
    /// Do what the plan decided. A call that is to start is emitted before.
    Plan(PlanDecision),
    /// Stop reading the model's answer.
    Stop(StopReason),
}

/// Why reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// Calls are to be run, and their results to go to the model.
    Execute,
    /// The model is done.
    End,
    /// The turn is longer than its limits allow.
    TooMuch,
}
