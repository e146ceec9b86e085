//! The error of a server that cannot be used.
//!
//! An error says whose fault a failure is and whether another try helps.

use std::fmt;

/// The reason why a server cannot be used.
///
/// ```
/// use silcrow_mcp::{Error, ErrorKind, ServerAddress, ServerConfig};
///
/// let error = ServerConfig::new("my server", ServerAddress::command(["git"])).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Invalid);
/// assert!(error.to_string().contains("letters, digits, - and _"), "{error}");
/// assert!(Error::new(ErrorKind::Silent, "no answer in 60 s").is_retryable());
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
/// use silcrow_mcp::{ErrorKind, ServerAddress, ServerConfig};
///
/// let error = ServerConfig::new("", ServerAddress::command(["git"])).unwrap_err();
/// match error.kind() {
///     ErrorKind::Invalid => assert_eq!(error.kind().as_str(), "mcp_invalid"),
///     ErrorKind::Unauthorized => unreachable!("nothing was sent"),
///     _ => unreachable!(),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The declaration of the server is wrong. The message names the correction.
    Invalid,
    /// The program cannot be started or has ended, or nothing answers at the address. Retry.
    Unreachable,
    /// The server did not answer in time. Retry.
    Silent,
    /// The server requires authentication. Give it a token.
    Unauthorized,
    /// The server does not speak the protocol, or speaks another revision of it.
    Protocol,
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
        matches!(self.kind, ErrorKind::Unreachable | ErrorKind::Silent)
    }
}

impl ErrorKind {
    /// Returns the stable `code` of the kind, for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "mcp_invalid",
            Self::Unreachable => "mcp_unreachable",
            Self::Silent => "mcp_silent",
            Self::Unauthorized => "mcp_unauthorized",
            Self::Protocol => "mcp_protocol",
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
