//! The errors of expressions, in words for the model.
//!
//! Each names a place in the source.

use std::fmt;

use crate::value::ExpressionValue;

/// The reason why an expression cannot be read or evaluated.
///
/// Its `Display` is a text for the model, which ends with the part of the source that it is about.
///
/// ```
/// use silcrow_expression::Expression;
///
/// let why = Expression::parse("1 +").unwrap_err();
/// assert_eq!(why.to_string(), "a value is missing, at the end");
/// assert_eq!(why.at(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    message: String,
    at: usize,
    near: String,
}

impl ExpressionError {
    /// Returns the position in the source, in bytes.
    pub const fn at(&self) -> usize {
        self.at
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.near {
            "" => write!(f, "{}, at the end", self.message),
            near => write!(f, "{}, at `{near}`", self.message),
        }
    }
}

impl std::error::Error for ExpressionError {}

/// A fault at a position of a source.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    message: String,
    at: usize,
    /// Whether a limit of the evaluation was exceeded, so that nothing else may be tried.
    pub(crate) is_limit: bool,
}

/// A value, or the fault that kept it from being made.
pub(crate) type Evaluated = Result<ExpressionValue, Fault>;

impl Fault {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), at, is_limit: false }
    }

    pub(crate) fn limit(at: usize, message: impl Into<String>) -> Self {
        Self { is_limit: true, ..Self::new(at, message) }
    }

    /// Returns the error, with the text of the source at its position.
    pub(crate) fn in_source(self, source: &str) -> ExpressionError {
        let rest = source.get(self.at..).unwrap_or_default();
        let near = match rest.char_indices().nth(NEAR) {
            Some((end, _)) => format!("{}…", &rest[..end]),
            None => rest.to_owned(),
        };
        ExpressionError { message: self.message, at: self.at, near }
    }
}

/// The number of characters of the source that an error shows.
const NEAR: usize = 40;
