use std::fmt;
use std::time::Duration;

/// What kept a model from answering.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    retry_after: Option<Duration>,
    advised: Option<bool>,
    sent: u64,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Whose fault it is, and whether trying again helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller's: no key, or one that the vendor does not take.
    Auth,
    /// The caller's: the vendor does not accept this request.
    Refused,
    /// The caller's: more messages than the model can read.
    ContextTooLong,
    /// The caller's pace: too many requests. Retry later.
    Rate,
    /// The vendor's: too busy or broken. Retry later.
    Overload,
    /// The way to the vendor: no connection. Retry.
    Network,
    /// The vendor's silence: a limit of ours passed. Retry, if the limit is long enough.
    Timeout,
    /// The answer ended without its end mark. Retry only if nothing of it was used.
    Cut,
    /// The answer is not what the vendor's API promises.
    Malformed,
    /// A script has no answer left.
    ScriptExhausted,
    /// The caller's: a recording that cannot be written or read, or holds another request.
    Recording,
}

impl Error {
    /// An error that says what was wrong, where, and what to do.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
            advised: None,
            sent: 0,
            source: None,
        }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn caused_by(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// The same error with the vendor's own word on when to try again.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// The same error, for which so many bytes of requests were sent beyond those it tells of.
    #[must_use]
    pub fn after_sending(mut self, bytes: u64) -> Self {
        self.add_sent(bytes);
        self
    }

    pub(crate) const fn add_sent(&mut self, bytes: u64) {
        self.sent = self.sent.saturating_add(bytes);
    }

    /// The same error with the vendor's own word on whether to try again, which counts for more
    /// than its kind.
    #[must_use]
    pub fn advised(self, again: bool) -> Self {
        Self { advised: Some(again), ..self }
    }

    /// The same error with more to say.
    pub(crate) fn told(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    /// Whose fault it is.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// How long the vendor asks to wait.
    pub const fn wait(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Bytes of requests that were sent for nothing: what no [`Delta::Usage`](crate::Delta::Usage)
    /// tells. Counted as [`Usage::sent`](silcrow_event::Usage::sent).
    pub const fn sent(&self) -> u64 {
        self.sent
    }

    /// The vendor's own word on whether to try again.
    pub const fn advice(&self) -> Option<bool> {
        self.advised
    }

    /// Whether asking again may help.
    pub const fn is_retryable(&self) -> bool {
        match self.advised {
            Some(again) => again,
            None => self.kind.is_retryable(),
        }
    }

    /// Whether the transport failed, and not the request: the same request may succeed over
    /// another transport.
    pub const fn is_transport(&self) -> bool {
        use ErrorKind::{Cut, Malformed, Network, Timeout};
        matches!(self.kind, Network | Timeout | Cut | Malformed)
    }
}

impl ErrorKind {
    /// The `code` of the event that tells of it.
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

    /// The kind of that `code`.
    pub fn parse(code: &str) -> Option<Self> {
        ALL.into_iter().find(|kind| kind.as_str() == code)
    }

    /// Whether asking again may help.
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::Rate | Self::Overload | Self::Network | Self::Timeout | Self::Cut)
    }
}

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
