//! The error of a simulation.

use std::fmt;

/// An error that kept a simulation from being made or played.
///
/// ```
/// use silcrow_simulation::{ErrorKind, Stubs};
///
/// let error = Stubs::parse(r#"{"search": {"ms": -1}}"#).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Stubs);
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an [`Error`]: whose fault it is.
///
/// ```
/// use silcrow_simulation::{ErrorKind, Stubs};
///
/// let error = Stubs::parse("not JSON").unwrap_err();
/// match error.kind() {
///     ErrorKind::Stubs => assert_eq!(error.kind().as_str(), "simulation_stubs"),
///     kind => unreachable!("{kind}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The stubs are not written as [`Stubs`](crate::Stubs) describes. Another attempt fails again.
    Stubs,
    /// The run failed, or its thread could not be started. The source says why.
    Run,
}

impl Error {
    /// Creates an error. The message says what was wrong, where, and what to do next.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Adds the cause, whose message this error's message does not repeat.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another attempt may help. It may not: a simulation always does the same.
    pub const fn is_retryable(&self) -> bool {
        false
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stubs => "simulation_stubs",
            Self::Run => "simulation_run",
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
