use silcrow_event as event;

/// A piece of a model's answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// Wire text.
    Text(String),
    /// Reasoning that the vendor gives beside the text.
    Reasoning(String),
    /// What the request took, as the vendor reports it, and the bytes sent; the last one counts.
    /// An early one lets a caller who hangs up know what is known by then. Times are left at zero:
    /// the caller holds the clock.
    Usage(event::Usage),
    /// The answer is over. The last delta of every whole answer; an answer without one was cut.
    Done(FinishReason),
}

/// Why a whole answer is over. An answer that ended for any other reason ends with an
/// [`Error`](crate::Error).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended it, or a stop sequence did.
    Stop,
    /// The limit of tokens was reached.
    Length,
    /// A filter of the vendor withheld the rest, or the model refused.
    Filter,
    /// The model called a tool in the vendor's own way, although none was offered. Its text is
    /// whole.
    ToolUse,
}
