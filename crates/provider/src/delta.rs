//! The pieces of a model's answer, and the reasons for its end.

use silcrow_event as event;

/// A piece of a model's answer.
///
/// ```
/// use silcrow_provider::{Delta, FinishReason};
///
/// // A cut answer has no `Done`, so it is never taken for a complete one.
/// let deltas = [Delta::Text("The".to_owned()), Delta::Text(" sum".to_owned())];
/// let (mut text, mut end) = (String::new(), None);
/// for delta in deltas {
///     match delta {
///         Delta::Text(piece) => text += &piece,
///         Delta::Done(reason) => end = Some(reason),
///         _ => {}
///     }
/// }
/// assert_eq!(text, "The sum");
/// assert_ne!(end, Some(FinishReason::Stop));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// A piece of the wire text.
    Text(String),
    /// Reasoning that the vendor sends apart from the text.
    Reasoning(String),
    /// A part of a call in the vendor's own way, of a request that
    /// [declares tools](crate::Request::tools) (P-45).
    Call(CallDelta),
    /// Data that goes back unchanged, about the reasoning right before it, such as a signature. There
    /// may be no reasoning before it.
    Opaque(String),
    /// The tokens that the vendor reports for the request, and the bytes that were sent.
    ///
    /// Each report replaces the previous one; an early one helps callers that cancel the answer.
    /// Times are zero, because the caller measures them.
    Usage(event::Usage),
    /// The end of an answer, with the reason. A stream that ends without it was cut.
    Done(FinishReason),
}

/// A part of a call. The parts of a call come one after the other, and no other call begins before
/// its end; a call without an end is cut off.
///
/// ```
/// use silcrow_provider::CallDelta;
///
/// let deltas = [
///     CallDelta::Begin { id: None, name: "add".to_owned() },
///     CallDelta::Args(r#"{"a":2,"#.to_owned()),
///     CallDelta::Args(r#""b":2}"#.to_owned()),
///     CallDelta::End { opaque: None },
/// ];
/// let mut args = String::new();
/// for delta in deltas {
///     if let CallDelta::Args(piece) = delta {
///         args += &piece;
///     }
/// }
/// assert_eq!(args, r#"{"a":2,"b":2}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallDelta {
    /// The call begins.
    Begin {
        /// The vendor's id of the call, unless it gives none.
        id: Option<String>,
        /// The name of the tool, as the request declares it.
        name: String,
    },
    /// A piece of the arguments, a JSON object. A call without any has `{}`.
    Args(String),
    /// The call is complete.
    End {
        /// Data that goes back unchanged with the call, if there is any.
        opaque: Option<String>,
    },
}

/// The reason why the vendor ended an answer.
///
/// With [`Length`](Self::Length) and [`Filter`](Self::Filter) the text is incomplete. An answer that
/// ended for any other reason ends with an [`Error`](crate::Error).
///
/// ```
/// use silcrow_provider::FinishReason;
///
/// /// Returns what a person should know about the end of an answer.
/// const fn notice(reason: FinishReason) -> Option<&'static str> {
///     match reason {
///         FinishReason::Length => Some("the answer was cut; ask for the rest"),
///         FinishReason::Filter => Some("the vendor withheld the rest"),
///         _ => None,
///     }
/// }
///
/// assert!(notice(FinishReason::Stop).is_none());
/// assert!(notice(FinishReason::Length).is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FinishReason {
    /// The model ended the answer, or a stop sequence did.
    Stop,
    /// The limit of tokens was reached.
    Length,
    /// A filter of the vendor withheld the rest, or the model refused to answer.
    Filter,
    /// The model called a tool in the vendor's own way, whether or not the request
    /// [declares tools](crate::Request::tools). The text is complete.
    ToolUse,
}
