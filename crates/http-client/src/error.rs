//! The error of making a client.
//!
//! Each failure is of the settings or of the machine, and another try does not help.

use std::error::Error as StdError;
use std::fmt;

/// The reason why a client cannot be made.
///
/// ```
/// use silcrow_http_client::{ClientProxy, ErrorKind};
///
/// let error = ClientProxy::new("http://").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Proxy);
/// // Somebody has to change the URL first.
/// assert!(!error.is_retryable());
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: &'static str,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of an [`Error`].
///
/// ```
/// use silcrow_http_client::{ClientProxy, ErrorKind};
///
/// let error = ClientProxy::new("ftp://ada:hunter2@proxy.example").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Proxy);
/// // The URL may have a password, so the message does not repeat it.
/// assert!(!error.to_string().contains("hunter2"), "{error}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The URL of a proxy cannot be read. The caller's fault.
    Proxy,
    /// Certificates that are to be trusted are not certificates in PEM. The caller's fault.
    Certificates,
    /// TLS does not work on this machine.
    Tls,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: &'static str) -> Self {
        Self { kind, message, source: None }
    }

    pub(crate) fn with_source(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another try may help, which it does not for any kind.
    pub const fn is_retryable(&self) -> bool {
        false
    }

    /// Returns the cause, for a caller whose own error has the same message.
    pub fn into_source(self) -> Option<Box<dyn StdError + Send + Sync>> {
        self.source
    }
}

impl ErrorKind {
    /// Returns the code of the kind, which programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proxy => "proxy",
            Self::Certificates => "certificates",
            Self::Tls => "tls",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
