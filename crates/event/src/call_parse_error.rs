//! The error that a text is not a call.

use std::fmt;

use serde_json::value::RawValue;

use crate::scan;

/// The error that a text is not a call, with the reason in words for the model.
///
/// ```
/// use silcrow_event::Call;
///
/// let why = Call::parse("a1", r#"{"name":"add","args":"{\"a\":2}"}"#).unwrap_err();
/// let text = "`args` is a string; write the object itself, without quotes";
/// assert!(why.to_string().contains(text), "{why}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallParseError(String);

impl CallParseError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for CallParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CallParseError {}

/// Returns the reason why arguments outside the object of arguments are not accepted.
#[cold]
pub(crate) fn outside(args: &str, key: &str) -> CallParseError {
    invalid(format!("`{args}` is missing; put `{key}` and all other arguments into it"))
}

/// Returns the reason why a text is not the JSON object that a body has to be.
#[cold]
pub(crate) fn no_object(text: &str) -> CallParseError {
    if text.trim().is_empty() {
        return invalid("the body is empty; write a JSON object with a `name`");
    }
    match serde_json::from_str::<&RawValue>(text) {
        Err(error) => invalid(format!("the body is not valid JSON: {error}")),
        Ok(_) if text.trim_start().starts_with('{') => {
            invalid(format!("the body is nested deeper than {}", scan::MAX_DEPTH))
        }
        Ok(_) => invalid("the body is not a JSON object; write one with a `name`"),
    }
}

pub(crate) fn invalid(why: impl Into<String>) -> CallParseError {
    CallParseError(why.into())
}
