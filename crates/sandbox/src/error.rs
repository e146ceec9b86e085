//! The error of a sandbox.
//!
//! This module decides whose fault a failure is. The result of a command is a
//! [`ProcessOutcome`](crate::ProcessOutcome).

use std::fmt;

/// The reason why a sandbox could not be made, or a command could not be started or watched.
///
/// ```
/// use silcrow_sandbox::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Io, "the system starts no more processes; end some");
/// assert!(error.is_retryable());
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
/// use silcrow_sandbox::{ErrorKind, Sandbox, SandboxOptions};
///
/// // A sandbox of everything would hold nothing.
/// let error = Sandbox::unconfined(SandboxOptions::new("/")).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Invalid);
/// assert!(error.to_string().contains("name a folder in it"), "{error}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// This system cannot confine commands, or the program does not call
    /// [`run_helper_if_asked`](crate::run_helper_if_asked). Another try does not help.
    Unavailable,
    /// The caller passed a folder or a command that cannot be used.
    Invalid,
    /// The system refused something that the sandbox needs, such as a process. Retry.
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

    /// Creates the error about a command that may only read, if that cannot be enforced.
    pub(crate) fn not_enforced() -> Self {
        let words = "no sandbox of this machine keeps a command from changing files and from the \
            network, so this one needs a yes";
        Self::new(ErrorKind::Unavailable, words)
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another try may help.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Io)
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "sandbox_unavailable",
            Self::Invalid => "sandbox_invalid",
            Self::Io => "sandbox_io",
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
