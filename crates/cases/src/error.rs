//! The error of a file of cases.

use std::fmt;

/// An error in a file of cases.
///
/// ```
/// use silcrow_cases::CaseFile;
///
/// let text = "=== greeting\ncolour: red\n---\nHello.\n";
/// let error = CaseFile::read(text).unwrap_err();
/// assert_eq!(error.line, 2);
/// assert!(error.message.contains("`colour`"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CaseError {
    /// The number of the line, from 1.
    pub line: usize,
    /// A description of the error, and a correct form.
    pub message: String,
}

impl CaseError {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for CaseError {}
