//! The error of reading, resolving and changing settings.
//!
//! This module decides whose fault an error is. The message names the file.

use std::{fmt, io};

/// The reason why settings cannot be read, resolved or changed.
///
/// ```
/// use silcrow_settings::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::Invalid, "config.toml:3: `modle` is unknown; write `model`");
/// assert_eq!(error.kind(), ErrorKind::Invalid);
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The kind of an [`Error`].
///
/// ```
/// use silcrow_settings::{Environment, ErrorKind, FileSettings};
///
/// # let home = tempfile::tempdir().unwrap();
/// # let environment = Environment::from_vars([("XDG_CONFIG_HOME", home.path()), ("HOME", home.path())]);
/// # std::fs::create_dir_all(home.path().join("silcrow")).unwrap();
/// let file = home.path().join("silcrow/config.toml");
/// std::fs::write(&file, "modle = \"rehearsal\"\n").unwrap();
/// let error = FileSettings::load(&environment, home.path(), None).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Invalid);
/// assert!(error.to_string().contains("modle"), "{error}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file, an argument or a variable has a value that cannot be used. The person has to change
    /// it; the message names the place and the correction.
    Invalid,
    /// The mode or the rules of a file cannot be used. The person has to change the file.
    InvalidPolicy,
    /// The file of a project allows something, although it may only narrow. The file has to change.
    Widens,
    /// A file cannot be written, or the person cannot be asked. Another try may help once the cause in
    /// the message is gone.
    Failed,
}

impl Error {
    /// Creates an error whose message says what was wrong, where, and what to do.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Creates an error about something that a person wrote.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Creates an error about something that did not work.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    /// Creates the error about a file that cannot be read.
    pub(crate) fn unreadable(name: &str, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "the file does not exist".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        Self::invalid(format!("cannot read {name}: {why}"))
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns whether another try may help although nothing was changed, which it does not.
    pub const fn is_retryable(&self) -> bool {
        false
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "settings_invalid",
            Self::InvalidPolicy => "policy_invalid",
            Self::Widens => "policy_widens",
            Self::Failed => "settings_failed",
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

impl std::error::Error for Error {}

impl From<silcrow_policy::Error> for Error {
    fn from(error: silcrow_policy::Error) -> Self {
        let kind = match error.kind() {
            silcrow_policy::ErrorKind::Widens => ErrorKind::Widens,
            _ => ErrorKind::InvalidPolicy,
        };
        Self::new(kind, error.to_string())
    }
}
