//! The pieces of a model's answer, and the reasons for its end.

use silcrow_event as event;

/// A piece of a model's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// A piece of the wire text.
    Text(String),
    /// Reasoning that the vendor sends apart from the text.
    Reasoning(String),
    /// The tokens that the vendor reports for the request, and the bytes that were sent.
    ///
    /// Each report replaces the previous one; an early one helps callers that cancel the answer.
    /// Times are zero, because the caller measures them.
    Usage(event::Usage),
    /// The end of an answer, with the reason. A stream that ends without it was cut.
    Done(FinishReason),
}

/// The reason why the vendor ended an answer.
///
/// With [`Length`](Self::Length) and [`Filter`](Self::Filter) the text is incomplete. An answer that
/// ended for any other reason ends with an [`Error`](crate::Error).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended the answer, or a stop sequence did.
    Stop,
    /// The limit of tokens was reached.
    Length,
    /// A filter of the vendor withheld the rest, or the model refused to answer.
    Filter,
    /// The model called a tool in the vendor's own way, although none was offered. The text is
    /// complete.
    ToolUse,
}
