//! The error of finding, reading or changing stored conversations.

use std::fmt;

/// An error that kept a conversation from being found, read or changed.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    conversation: Option<String>,
    source: Option<silcrow_store::Error>,
}

/// The kind of an [`Error`]: whose fault it is.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_event::Event;
/// use silcrow_history::{ErrorKind, StoredConversation};
/// use silcrow_store::{MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// for id in ["tea-green", "tea-black"] {
///     store.append(id, 0, vec![Event::user("How hot?").into()]).await.unwrap();
/// }
/// match StoredConversation::read(&store, "tea-").await {
///     Err(error) if error.kind() == ErrorKind::Ambiguous => {
///         assert!(error.to_string().contains("`tea-black`"), "{error}");
///     }
///     other => panic!("{other:?}"),
/// }
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No conversation has the id, and none begins so. The message names close ones.
    Unknown,
    /// Several conversations begin so, or a name stands for two places.
    Ambiguous,
    /// The conversation is shorter than the requested position.
    NoEvent,
    /// The conversation was removed while it was followed.
    Removed,
    /// The store failed; [`Error::store_error`] says how.
    Store,
}

impl Error {
    /// Creates an error. The message names the fault, its place, and the next step.
    ///
    /// ```
    /// use silcrow_history::{Error, ErrorKind};
    ///
    /// let error = Error::new(ErrorKind::Unknown, "unknown conversation `c1`");
    /// assert_eq!(error.kind().as_str(), "history_unknown");
    /// ```
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), conversation: None, source: None }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the conversation that the error is about, if it is about an existing one.
    pub fn conversation(&self) -> Option<&str> {
        self.conversation.as_deref()
    }

    /// Returns the error of the store, if that failed.
    pub const fn store_error(&self) -> Option<&silcrow_store::Error> {
        self.source.as_ref()
    }

    /// Returns whether another attempt may help.
    pub fn is_retryable(&self) -> bool {
        self.source.as_ref().is_some_and(silcrow_store::Error::is_retryable)
    }

    /// Sets the conversation that the error is about.
    pub(crate) fn about(self, conversation: &str) -> Self {
        Self { conversation: Some(conversation.to_owned()), ..self }
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "history_unknown",
            Self::Ambiguous => "history_ambiguous",
            Self::NoEvent => "history_no_event",
            Self::Removed => "history_removed",
            Self::Store => "history_store",
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
        self.source.as_ref().map(|source| source as _)
    }
}

impl From<silcrow_store::Error> for Error {
    fn from(error: silcrow_store::Error) -> Self {
        let failed = Self::new(ErrorKind::Store, "stored conversations cannot be read or changed");
        Self { source: Some(error), ..failed }
    }
}
