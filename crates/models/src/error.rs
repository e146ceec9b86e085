//! The error of opening a model, or of finding its key or address.

use std::fmt;

/// An error that kept a model from being opened.
///
/// ```
/// use silcrow_models::{Error, ErrorKind};
///
/// let error = Error::new(ErrorKind::MissingKey, "OPENAI_API_KEY is not set; put your key there");
/// assert_eq!(error.kind(), ErrorKind::MissingKey);
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
/// use silcrow_models::{Environment, ErrorKind, ModelOptions, Models};
///
/// let models = Models::new(ModelOptions::new(Environment::from_vars([("HOME", "/home/ann")])));
/// let error = models.open("openai:gpt-5.1").map(|_| ()).unwrap_err();
/// match error.kind() {
///     ErrorKind::MissingKey => assert!(error.to_string().contains("OPENAI_API_KEY")),
///     kind => unreachable!("{kind}"),
/// }
/// assert!(!error.is_retryable());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No model has the name.
    UnknownModel,
    /// The name lacks a part, such as the address of a server.
    InvalidName,
    /// The vendor needs a key, and no variable, file or command provides one.
    MissingKey,
    /// A file or a command that should have a key has none. Another attempt may help.
    Key,
    /// A variable of the environment, or an option, has a value that cannot be used.
    Setting,
    /// The model cannot be restricted to a grammar.
    Grammar,
    /// A file that the name or a variable names cannot be read.
    File,
}

impl Error {
    /// Creates an error. The message says what was wrong, where, and what to do next.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
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

    /// Returns whether another attempt may help, because a key may be there by then.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Key)
    }

    /// Creates an error of a setting.
    pub(crate) fn setting(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Setting, message)
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownModel => "model_unknown",
            Self::InvalidName => "model_invalid_name",
            Self::MissingKey => "model_missing_key",
            Self::Key => "model_key",
            Self::Setting => "model_setting",
            Self::Grammar => "model_grammar",
            Self::File => "model_file",
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

/// A vendor's error about a setting, whose message contains no secrets.
impl From<silcrow_provider::Error> for Error {
    fn from(error: silcrow_provider::Error) -> Self {
        Self::setting(error.to_string())
    }
}
