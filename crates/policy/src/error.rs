//! The error of a policy file.
//!
//! This module has the errors of a file. It does not read one.

use std::fmt;

/// The reason why a policy cannot be used.
///
/// ```
/// use silcrow_policy::{PermissionRule, RuleEffect};
///
/// let error = PermissionRule::new(RuleEffect::Deny, "send_[").unwrap_err();
/// assert_eq!(error.kind().as_str(), "policy_invalid");
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The kind of an [`Error`]. Another try never helps: the file has to change.
///
/// ```
/// use silcrow_policy::{ErrorKind, PolicyFile, PolicyOwner};
///
/// let text = "[[rules]]\neffect = \"allow\"\ntool = \"shell\"\n";
/// assert!(PolicyFile::parse("policy.toml", text, PolicyOwner::Person).is_ok());
/// // A project may forbid a call, and never allow one.
/// let error = PolicyFile::parse("policy.toml", text, PolicyOwner::Project).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Widens);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file is not TOML, or has a field or a value that does not exist.
    Invalid,
    /// The file of a project allows something, although it may only narrow.
    Widens,
}

impl Error {
    /// Creates an error whose message says what was wrong, where, and what to do.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns `false`: another try never helps.
    pub const fn is_retryable(&self) -> bool {
        false
    }
}

impl ErrorKind {
    /// Returns the code that programs compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "policy_invalid",
            Self::Widens => "policy_widens",
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
