//! Diagnostics: reports about something odd in the wire text.
//!
//! This module defines their kinds and names.

use std::fmt;

/// A report about something odd in the wire text. A diagnostic is never an error that stops a
/// stream.
///
/// ```
/// use silcrow_event::{Diagnostic, DiagnosticKind, Event};
///
/// let diagnostic = Diagnostic {
///     kind: DiagnosticKind::Unclosed,
///     content: "<think> is not closed".to_owned(),
///     at: Some(17),
/// };
/// let Event::Error(error) = Event::from(diagnostic) else { panic!() };
/// assert_eq!((&*error.code, error.at, error.retry), ("unclosed", Some(17), false));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a kind, a text and a place")]
pub struct Diagnostic {
    /// The kind of diagnostic.
    pub kind: DiagnosticKind,
    /// A description, or the text itself.
    pub content: String,
    /// The position at which it begins, in bytes of the turn's wire text. It is `None` for
    /// [`TooMuch`](DiagnosticKind::TooMuch) and [`Unbound`](DiagnosticKind::Unbound), which are
    /// about no position.
    pub at: Option<u64>,
}

/// The kinds of diagnostics, named as in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// A section that the end of the input closed (P-6).
    Unclosed,
    /// Bytes that are not valid UTF-8 and became U+FFFD (P-7).
    InvalidUtf8,
    /// A JSON body that was invalid and could be repaired (P-8).
    Repaired,
    /// A body that was closed and is not a call (P-9).
    MalformedCall,
    /// A body that was cut off (P-9).
    TruncatedCall,
    /// Text in a place where only the framework writes results (P-10).
    ForgedResult,
    /// A code fence that is still open at the end of the input (P-34).
    OpenFence,
    /// A delimiter that does not count because it is in a code fence (P-34).
    HiddenDelimiter,
    /// Text in a place that takes none (P-12, P-21).
    StrayText,
    /// An execution point without a call (P-14, P-17).
    NothingToExecute,
    /// Calls without an execution point (P-14, P-17).
    MissingExecute,
    /// A final answer after another one in the same turn (P-22).
    SecondResponse,
    /// An action inside an element outside the dialect (P-43), or a response inside such an element
    /// or a control block.
    UnknownBlock,
    /// The tag of a control block that says too little or something wrong (P-29 to P-31).
    MalformedBlock,
    /// A `$name` that is not bound to an output (P-26).
    Unbound,
    /// More text or more events than a turn may have (P-9).
    TooMuch,
}

impl DiagnosticKind {
    /// Returns the name in the protocol and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unclosed => "unclosed",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::Repaired => "repaired",
            Self::MalformedCall => "malformed_call",
            Self::TruncatedCall => "truncated_call",
            Self::ForgedResult => "forged_result",
            Self::OpenFence => "open_fence",
            Self::HiddenDelimiter => "hidden_delimiter",
            Self::StrayText => "stray_text",
            Self::NothingToExecute => "nothing_to_execute",
            Self::MissingExecute => "missing_execute",
            Self::SecondResponse => "second_response",
            Self::UnknownBlock => "unknown_block",
            Self::MalformedBlock => "malformed_block",
            Self::Unbound => "unbound",
            Self::TooMuch => "too_much",
        }
    }
}

impl fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
