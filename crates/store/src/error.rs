//! The error of a store.
//!
//! An error says whose fault a failure is and whether another try helps.

use std::fmt;

/// The reason why a store did not carry out a request.
///
/// ```
/// use silcrow_store::{Error, ErrorKind};
///
/// let cause = std::io::Error::other("no space left");
/// let error = Error::new(ErrorKind::Io, "the log could not be written; free some space")
///     .with_source(cause);
/// assert!(!error.is_retryable());
/// assert_eq!(error.kind().as_str(), "store_io");
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an [`Error`]: its cause, and whether another try helps.
///
/// ```
/// use silcrow_event::Event;
/// use silcrow_store::{ErrorKind, MemoryStore, Store as _};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("hello").into()]).await?;
/// // Another writer was faster, so read what it wrote, and append after it.
/// let again = vec![Event::user("hello?").into()];
/// let error = store.append("c1", 0, again.clone()).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Conflict);
/// let head = store.head("c1").await?;
/// assert_eq!(store.append("c1", head, again).await?, 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Another append, put or deletion came first. Read again, then retry.
    Conflict,
    /// The caller passed a name or an event that no store keeps.
    Refused,
    /// Another process has the store open, or holds the conversation. Retry when it has ended.
    Locked,
    /// Another process has taken the conversation over, because this one gave no sign of life in
    /// time. The store rejects all that it still writes there.
    Fenced,
    /// The folder is not a store, or is one of another format.
    Format,
    /// The folder or a file of the store belongs to another user or is a link, so anybody may have
    /// written it. The message names the next step.
    Untrusted,
    /// The data that was read differs from the data that was written.
    Damaged,
    /// The system did not provide something that the store needs, such as a thread, or the database
    /// stopped without a reason. This does not mean that data is damaged. Retry.
    Unavailable,
    /// The disk failed. The store rejects all writes until it is opened again.
    Io,
}

impl Error {
    /// Creates an error whose message says what was wrong, where, and what to do.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another try may help.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Conflict | ErrorKind::Locked | ErrorKind::Unavailable)
    }
}

impl ErrorKind {
    /// Returns the `code` of the event that reports the error.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "store_conflict",
            Self::Refused => "store_refused",
            Self::Locked => "store_locked",
            Self::Fenced => "store_fenced",
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
