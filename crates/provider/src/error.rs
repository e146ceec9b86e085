//! The error of every provider, and its kinds.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// An error that kept a model from answering.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_provider::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Rate, "you sent 61 requests this minute; wait")
///     .with_retry_after(Duration::from_secs(12));
/// assert!(error.is_retryable() && !error.is_transport());
/// // Some vendors know better than the kind.
/// let error = error.with_advice(false);
/// assert!(!error.is_retryable());
/// assert_eq!(error.kind().as_str(), "rate");
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    retry_after: Option<Duration>,
    advice: Option<bool>,
    sent: u64,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an [`Error`]: whose fault it is, and whether another attempt helps.
///
/// ```
/// use silcrow_provider::ErrorKind;
///
/// let next = |kind| match kind {
///     ErrorKind::Auth => "check the key",
///     ErrorKind::ContextTooLong => "compact the conversation",
///     kind if kind.is_retryable() => "try again",
///     _ => "give up",
/// };
/// assert_eq!(next(ErrorKind::Overload), "try again");
/// assert_eq!(next(ErrorKind::Malformed), "give up");
/// assert_eq!("context_too_long".parse(), Ok(ErrorKind::ContextTooLong));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller sent no key, or one that the vendor rejects.
    Auth,
    /// The caller sent a request that the vendor rejects.
    Refused,
    /// The caller sent more messages than the model can read.
    ContextTooLong,
    /// The caller sent too many requests. Retry later.
    Rate,
    /// The vendor is too busy, or broken. Retry later.
    Overload,
    /// There was no connection to the vendor. Retry.
    Network,
    /// The vendor was silent for longer than a limit. A later attempt may help;
    /// [`Retry`](crate::Retry) makes none at once, because that would double the silence.
    Timeout,
    /// The answer ended without a finish reason. Retry only if nothing of it was used.
    Cut,
    /// The answer violates the vendor's API.
    Malformed,
    /// The script has no answer left.
    ScriptExhausted,
    /// The recording cannot be written or read, or holds another request.
    Recording,
}

impl Error {
    /// Creates an error. The message says what was wrong, where, and what to do next.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
            advice: None,
            sent: 0,
            source: None,
        }
    }

    /// Adds the source of the error.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Adds how long the vendor asks to wait before another attempt.
    #[must_use]
    pub fn with_retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// Adds to the bytes of requests that were sent before the error.
    #[must_use]
    pub fn with_sent(mut self, bytes: u64) -> Self {
        self.add_sent(bytes);
        self
    }

    pub(crate) const fn add_sent(&mut self, bytes: u64) {
        self.sent = self.sent.saturating_add(bytes);
    }

    /// Adds the vendor's advice on whether to try again, which overrides the kind.
    #[must_use]
    pub fn with_advice(self, again: bool) -> Self {
        Self { advice: Some(again), ..self }
    }

    /// Appends to the message.
    pub(crate) fn with_more(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    /// Replaces the message, and drops the source.
    pub(crate) fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None, ..self }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns how long the vendor asks to wait before another attempt.
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns the number of sent bytes of requests that no [`Delta::Usage`](crate::Delta::Usage)
    /// reports. They are counted like [`Usage::sent_bytes`](silcrow_event::Usage::sent_bytes).
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// Returns the vendor's advice on whether to try again.
    pub const fn advice(&self) -> Option<bool> {
        self.advice
    }

    /// Returns whether another attempt may help.
    pub const fn is_retryable(&self) -> bool {
        match self.advice {
            Some(again) => again,
            None => self.kind.is_retryable(),
        }
    }

    /// Returns whether the transport failed rather than the request, so that the same request may
    /// succeed over another transport.
    pub const fn is_transport(&self) -> bool {
        use ErrorKind::{Cut, Malformed, Network, Timeout};
        matches!(self.kind, Network | Timeout | Cut | Malformed)
    }
}

impl ErrorKind {
    /// Returns the `code` of the event that reports such an error.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Refused => "refused",
            Self::ContextTooLong => "context_too_long",
            Self::Rate => "rate",
            Self::Overload => "overload",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::Cut => "cut",
            Self::Malformed => "malformed",
            Self::ScriptExhausted => "script_exhausted",
            Self::Recording => "recording",
        }
    }

    /// Returns whether another attempt may help.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Rate | Self::Overload | Self::Network | Self::Timeout | Self::Cut)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ErrorKind {
    type Err = UnknownErrorKind;

    fn from_str(code: &str) -> Result<Self, UnknownErrorKind> {
        ALL.into_iter().find(|kind| kind.as_str() == code).ok_or(UnknownErrorKind)
    }
}

/// The error of parsing a code that no [`ErrorKind`] has.
///
/// ```
/// use silcrow_provider::{ErrorKind, UnknownErrorKind};
///
/// let parsed: Result<ErrorKind, UnknownErrorKind> = ErrorKind::Auth.as_str().parse();
/// assert_eq!(parsed, Ok(ErrorKind::Auth));
/// assert!("bad_luck".parse::<ErrorKind>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownErrorKind;

impl fmt::Display for UnknownErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no kind of error of a provider has this code")
    }
}

impl std::error::Error for UnknownErrorKind {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

const ALL: [ErrorKind; 11] = {
    use ErrorKind::{
        Auth, ContextTooLong, Cut, Malformed, Network, Overload, Rate, Recording, Refused,
        ScriptExhausted, Timeout,
    };
    [
        Auth,
        Refused,
        ContextTooLong,
        Rate,
        Overload,
        Network,
        Timeout,
        Cut,
        Malformed,
        ScriptExhausted,
        Recording,
    ]
};
