//! The error of a session with a person: a session's error, or that the person is gone.

use std::fmt;

/// An error that ends a session with a person, or keeps it from beginning.
///
/// The message names the fault, its place, and the next step. Without a message a signal has ended
/// it, which is nothing to report.
///
/// ```
/// use silcrow_interactive::{Error, ErrorKind};
///
/// let session = silcrow_session::ErrorKind::Given;
/// let error = Error::new(ErrorKind::Session(session), "there is no prompt");
/// assert_eq!((error.kind().as_str(), error.signal()), ("session_given", None));
/// assert_eq!(Error::interrupted(2).signal(), Some(2));
/// ```
#[derive(Debug)]
pub struct Error(Cause);

#[derive(Debug)]
enum Cause {
    Session(silcrow_session::Error),
    Signal(u8),
}

/// The kind of an [`Error`]: whose fault it is.
///
/// ```
/// use silcrow_interactive::{Error, ErrorKind};
///
/// /// Returns the exit status of a program whose session has ended so.
/// fn status(error: &Error) -> u8 {
///     match error.kind() {
///         ErrorKind::Interrupted => 128 + error.signal().unwrap_or(2),
///         _ => 1,
///     }
/// }
///
/// assert_eq!(status(&Error::interrupted(2)), 130);
/// let session = silcrow_session::ErrorKind::Failed;
/// assert_eq!(status(&Error::new(ErrorKind::Session(session), "the disk is full")), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The session failed, or something that the person or the program gave cannot be used.
    Session(silcrow_session::ErrorKind),
    /// A signal ended it: Ctrl-C, or a terminal that is gone. Nothing has to be changed.
    Interrupted,
}

impl Error {
    /// Creates an error. The message names the fault, its place, and the next step. An interruption
    /// has no message, and counts as one by Ctrl-C.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        match kind {
            ErrorKind::Session(kind) => silcrow_session::Error::new(kind, message).into(),
            ErrorKind::Interrupted => Self::interrupted(INTERRUPT),
        }
    }

    /// Creates the error of a session that a signal ended.
    pub const fn interrupted(signal: u8) -> Self {
        Self(Cause::Signal(signal))
    }

    /// Creates an error about something that the person gave.
    pub(crate) fn given(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Session(silcrow_session::ErrorKind::Given), message)
    }

    /// Creates an error about something that did not work.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Session(silcrow_session::ErrorKind::Failed), message)
    }

    /// Creates the error of a session whose terminal is gone.
    pub(crate) const fn hung_up() -> Self {
        Self::interrupted(HANGUP)
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        match &self.0 {
            Cause::Session(error) => ErrorKind::Session(error.kind()),
            Cause::Signal(_) => ErrorKind::Interrupted,
        }
    }

    /// Returns the message, as [`Display`](fmt::Display) writes it. It is empty after a signal.
    pub fn message(&self) -> &str {
        match &self.0 {
            Cause::Session(error) => error.message(),
            Cause::Signal(_) => "",
        }
    }

    /// Returns the number of the signal that ended the session.
    pub const fn signal(&self) -> Option<u8> {
        match self.0 {
            Cause::Session(_) => None,
            Cause::Signal(signal) => Some(signal),
        }
    }

    /// Returns whether another attempt may help although nothing was changed.
    pub const fn is_retryable(&self) -> bool {
        matches!(&self.0, Cause::Session(error) if error.is_retryable())
    }

    /// Returns the error of the session.
    ///
    /// # Errors
    ///
    /// Returns the number of the signal that ended it.
    pub fn into_session(self) -> Result<silcrow_session::Error, u8> {
        match self.0 {
            Cause::Session(error) => Ok(error),
            Cause::Signal(signal) => Err(signal),
        }
    }
}

impl ErrorKind {
    /// Returns the code that programs compare. An error of a session has the code of that crate.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Session(kind) => kind.as_str(),
            Self::Interrupted => "interrupted",
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
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

impl From<silcrow_session::Error> for Error {
    fn from(error: silcrow_session::Error) -> Self {
        Self(Cause::Session(error))
    }
}

impl From<silcrow_history::Error> for Error {
    fn from(error: silcrow_history::Error) -> Self {
        silcrow_session::Error::from(error).into()
    }
}

impl From<silcrow_store::Error> for Error {
    fn from(error: silcrow_store::Error) -> Self {
        silcrow_session::Error::from(error).into()
    }
}

/// The number of SIGHUP.
const HANGUP: u8 = 1;

/// The number of SIGINT.
const INTERRUPT: u8 = 2;
