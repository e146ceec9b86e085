//! The pieces of a model's answer, and why it is over.

use silcrow_event as event;

/// A piece of a model's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// Text of the wire.
    Text(String),
    /// Reasoning that the vendor sends apart from the text.
    Reasoning(String),
    /// The tokens that the vendor reports for the request, and the bytes that were sent. The last
    /// report counts; an early one is for callers that cancel the answer. Times are zero, because
    /// the caller has the clock.
    Usage(event::Usage),
    /// The end of a complete answer. An answer without it was cut.
    Done(FinishReason),
}

/// The reason why a complete answer is over.
///
/// An answer that ended for any other reason ends with an [`Error`](crate::Error).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended it, or a stop sequence did.
    Stop,
    /// The limit of tokens was reached.
    Length,
    /// A filter of the vendor withheld the rest, or the model refused.
    Filter,
    /// The model called a tool in the vendor's own way, although none was offered. The text is
    /// complete.
    ToolUse,
}
