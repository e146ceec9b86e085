//! The error of something that cannot be sent.
//!
//! This module decides whose fault a failure is and whether another try helps.

use std::fmt;

/// The reason why nothing is sent.
///
/// ```
/// use silcrow_otlp_http::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Unreachable, "the collector does not answer; is it running?");
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "the collector does not answer; is it running?");
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
/// use silcrow_otlp_http::{ErrorKind, ExportTarget};
///
/// let error = ExportTarget::new("127.0.0.1:4318").map(|_| ()).unwrap_err();
/// match error.kind() {
///     ErrorKind::Invalid => assert!(error.to_string().contains("http://127.0.0.1:4318")),
///     kind => unreachable!("{kind}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting cannot be used. The message names the correction.
    Invalid,
    /// The collector rejects the data. Another try does not help.
    Refused,
    /// The collector cannot be reached, does not answer, or has too much to do. Retry later.
    Unreachable,
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
        matches!(self.kind, ErrorKind::Unreachable)
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "otlp_invalid",
            Self::Refused => "otlp_refused",
            Self::Unreachable => "otlp_unreachable",
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
