use std::fmt;

/// What kept a store from doing what was asked.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Whose fault it is, and whether trying again helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Somebody else appended or put first. Read again, then retry.
    Conflict,
    /// The caller's: a name or an event that no store keeps.
    Refused,
    /// Another process holds the store. Retry when it has ended.
    Locked,
    /// The folder is no store, or one of another format.
    Format,
    /// The folder or a file of the store is another user's, or a link, so anybody may have written
    /// it. The message says what to do.
    Untrusted,
    /// What was read is not what was written.
    Damaged,
    /// The system refused what the store needs, such as a thread, or the database stopped and did
    /// not say why. That is no proof of damage. Retry.
    Unavailable,
    /// The disk failed; the store takes no more writes until it is opened again.
    Io,
}

impl Error {
    /// An error that says what was wrong, where, and what to do.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn caused_by(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Whose fault it is.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether trying again may help.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Conflict | ErrorKind::Locked | ErrorKind::Unavailable)
    }
}

impl ErrorKind {
    /// The `code` of the event that tells of it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "store_conflict",
            Self::Refused => "store_refused",
            Self::Locked => "store_locked",
            Self::Format => "store_format",
            Self::Untrusted => "store_untrusted",
            Self::Damaged => "store_damaged",
            Self::Unavailable => "store_unavailable",
            Self::Io => "store_io",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
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
