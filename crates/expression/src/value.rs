//! The values of JSON.
//!
//! This module defines the kinds of values, and writes their JSON text. `json.rs` reads that text.

use std::sync::Arc;

use silcrow_event::Json;

/// A value of JSON. Texts, lists and objects are shared, so a clone is cheap.
///
/// ```
/// use silcrow_expression::ExpressionValue;
///
/// let value = ExpressionValue::read(r#"{"n": [1, 2.50, "x"]}"#).unwrap();
/// assert_eq!(value.to_string(), r#"{"n":[1,2.5,"x"]}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "JSON has these kinds of values")]
pub enum ExpressionValue {
    /// Null.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// An integer, which is between the least of 64 bits with a sign and the greatest without.
    Int(i128),
    /// Any other number. It is finite.
    Double(f64),
    /// A string.
    Text(Arc<str>),
    /// A list.
    List(Arc<[Self]>),
    /// An object: its members in their order, no key twice.
    Object(Arc<[(Arc<str>, Self)]>),
}

impl ExpressionValue {
    /// Reads a JSON text. Returns `None` if it is not one JSON value, or nested too deeply. Of a key
    /// given twice, the last value counts. A number is an integer of 64 bits or a double.
    pub fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// Reads the output of a call. If the output is a string whose text is one JSON value, with white
    /// space around it or without, it is that value, because a command or a file gives JSON as text.
    ///
    /// ```
    /// use silcrow_event::Json;
    /// use silcrow_expression::ExpressionValue;
    ///
    /// let count = ExpressionValue::of_output(&Json::string("12\n"));
    /// assert_eq!(count, ExpressionValue::Int(12));
    /// let name = ExpressionValue::of_output(&Json::string("12 files"));
    /// assert_eq!(name, ExpressionValue::Text("12 files".into()));
    /// ```
    pub fn of_output(output: &Json) -> Self {
        match Self::read(output.as_str()) {
            Some(Self::Text(text)) => Self::read(&text).unwrap_or(Self::Text(text)),
            Some(value) => value,
            // It is nested too deeply, or a number is too large.
            None => Self::Text(output.as_str().into()),
        }
    }

    /// Returns the JSON text, as an output that a name can be bound to.
    pub fn to_json(&self) -> Json {
        Json::parse(&self.to_string()).unwrap_or_else(|| Json::string(&self.to_string()))
    }

    /// Returns the items of a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the kind of value in words, such as `a list`.
    ///
    /// ```
    /// use silcrow_expression::ExpressionValue;
    ///
    /// assert_eq!(ExpressionValue::Double(0.5).kind(), "a number");
    /// ```
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Double(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Returns the value of a member of an object.
    pub(crate) fn member(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn list(items: impl Into<Arc<[Self]>>) -> Self {
        Self::List(items.into())
    }
}
