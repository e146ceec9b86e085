//! The error of a request.
//!
//! This module decides whose fault a failure is and whether another try helps.

use std::fmt;

/// The reason why a page could not be fetched.
///
/// ```
/// use silcrow_web::{ErrorKind, Fetcher, WebUrl};
///
/// // A link cannot lead into the network at home.
/// let url = WebUrl::parse("http://192.168.0.1/admin")?;
/// let error = Fetcher::new().check(&url).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Refused);
/// assert!(!error.is_retryable());
/// # Ok::<(), silcrow_web::Error>(())
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
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_web::{ErrorKind, Fetcher, WebUrl};
///
/// let url = WebUrl::parse("http://localhost:8080/")?;
/// let error = Fetcher::new().get(&url).await.unwrap_err();
/// match error.kind() {
///     ErrorKind::Refused => assert!(!error.is_retryable()),
///     kind => unreachable!("{kind}"),
/// }
/// # Ok::<(), silcrow_web::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller passed a URL, a setting or a key that cannot be used. The message names the
    /// correction.
    Invalid,
    /// The URL, or an address of its host, is not one of the public web. Another try does not help.
    Refused,
    /// The host has no address, or its name could not be resolved. Retry later.
    Resolve,
    /// The connection failed or ended before an answer. Retry later.
    Network,
    /// A limit of time was reached before an answer. Retry later.
    Timeout,
    /// The server leads elsewhere: too often, from https to http, or to another host.
    Redirect,
    /// The answer is larger than a limit, or in a form that is not read.
    Answer,
    /// A search engine does not answer this program: it asks whether a person is there, rejects the
    /// key, or has had too many requests.
    Blocked,
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
        matches!(self.kind, ErrorKind::Resolve | ErrorKind::Network | ErrorKind::Timeout)
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "web_invalid",
            Self::Refused => "web_refused",
            Self::Resolve => "web_resolve",
            Self::Network => "web_network",
            Self::Timeout => "web_timeout",
            Self::Redirect => "web_redirect",
            Self::Answer => "web_answer",
            Self::Blocked => "web_blocked",
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
