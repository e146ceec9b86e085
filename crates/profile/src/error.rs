//! The error of reading, changing and learning a profile.

use std::fmt;

/// An error that kept a profile from being read, changed or learned.
///
/// ```
/// use silcrow_profile::{Error, ErrorKind};
/// use silcrow_store as store;
///
/// let cause = store::Error::new(store::ErrorKind::Unavailable, "the database does not answer");
/// let error = Error::from(cause);
/// assert_eq!(error.kind(), ErrorKind::Store);
/// assert!(error.is_retryable());
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    is_retryable: bool,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an [`Error`]: whose fault it is.
///
/// ```
/// use silcrow_profile::{ErrorKind, Profile};
///
/// let error = Profile::from_json("not JSON").unwrap_err();
/// match error.kind() {
///     ErrorKind::Invalid => assert_eq!(error.kind().as_str(), "profile_invalid"),
///     kind => unreachable!("{kind}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller passed JSON that is not a profile.
    Invalid,
    /// The store holds a profile that cannot be read, such as a newer version's.
    Format,
    /// The store failed. The source says whether another attempt may help.
    Store,
    /// The model failed. Nothing was learned, and the messages wait for the next attempt.
    Provider,
}

impl Error {
    /// Creates an error. The message says what was wrong, where, and what to do next.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), is_retryable: false, source: None }
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another attempt may help.
    pub const fn is_retryable(&self) -> bool {
        self.is_retryable
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "profile_invalid",
            Self::Format => "profile_format",
            Self::Store => "profile_store",
            Self::Provider => "profile_provider",
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

impl From<silcrow_store::Error> for Error {
    fn from(error: silcrow_store::Error) -> Self {
        let is_retryable = error.is_retryable();
        let failed = Self::new(ErrorKind::Store, "the profile cannot be kept or read");
        Self { is_retryable, ..failed.with_source(error) }
    }
}

impl From<silcrow_provider::Error> for Error {
    fn from(error: silcrow_provider::Error) -> Self {
        let is_retryable = error.is_retryable();
        let failed = Self::new(ErrorKind::Provider, "the model could not be asked for facts");
        Self { is_retryable, ..failed.with_source(error) }
    }
}
