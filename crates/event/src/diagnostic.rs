use std::fmt;

/// Something odd that the reader of a log should know; never an error that stops a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a kind, a text and a place")]
pub struct Diagnostic {
    /// What kind of oddity.
    pub kind: DiagnosticKind,
    /// What it was, in words or in the text itself.
    pub content: String,
    /// Where it begins, in bytes of the turn's wire text.
    pub at: u64,
}

/// The kinds of oddity, named as in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// A section that the end of the input closed (P-6).
    Unclosed,
    /// Bytes that are no UTF-8, given out as U+FFFD (P-7).
    InvalidUtf8,
    /// A JSON body that could be mended (P-8).
    Repaired,
    /// A body that closed and is no call (P-9).
    MalformedCall,
    /// A body that was cut off (P-9).
    TruncatedCall,
    /// Text where only the framework's results stand (P-10).
    ForgedResult,
    /// A code fence still open at the end of the input (P-34).
    OpenFence,
    /// Text where none belongs (P-12, P-21).
    StrayText,
    /// An execution point without a call (P-14, P-17).
    NothingToExecute,
    /// Calls without an execution point (P-14, P-17).
    MissingExecute,
    /// A `$name` that nothing binds (P-26).
    Unbound,
    /// More text or more events than a turn may have (P-9).
    TooMuch,
}

impl DiagnosticKind {
    /// The name in the protocol and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unclosed => "unclosed",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::Repaired => "repaired",
            Self::MalformedCall => "malformed_call",
            Self::TruncatedCall => "truncated_call",
            Self::ForgedResult => "forged_result",
            Self::OpenFence => "open_fence",
            Self::StrayText => "stray_text",
            Self::NothingToExecute => "nothing_to_execute",
            Self::MissingExecute => "missing_execute",
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
