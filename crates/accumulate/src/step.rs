use silcrow_event::{CallText, Event, Text};
use silcrow_plan::Decision;

/// What is to be done, in this order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Show a piece of text at once.
    Show(Text<'a>),
    /// Show a piece of a call that is being written; nothing of it may run.
    ShowCall(CallText<'a>),
    /// Store a complete event, if it is one to store, then show it.
    Emit(Event),
    /// Do what the plan decided. A call that is to start is emitted before.
    Plan(Decision),
    /// Stop reading the model's answer.
    Stop(Why),
}

/// Why reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// Calls are to be run, and their results to go to the model.
    Execute,
    /// The model is done.
    End,
    /// The turn is longer than its limits allow.
    TooMuch,
}
