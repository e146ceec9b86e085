//! Attributes of spans, of metrics and of the program that sends them.

use std::borrow::Cow;

/// A name with a value.
///
/// ```
/// use silcrow_otlp::{Attribute, AttributeValue};
///
/// let tokens = Attribute::new("gen_ai.usage.input_tokens", 120_u64);
/// assert_eq!(tokens.value, AttributeValue::Integer(120));
/// // OpenTelemetry has signed integers only, so a count that is too large becomes the largest.
/// let huge = Attribute::new("bytes", u64::MAX);
/// assert_eq!(huge.value, AttributeValue::Integer(i64::MAX));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a name and a value")]
pub struct Attribute {
    /// The name.
    pub name: Cow<'static, str>,
    /// The value.
    pub value: AttributeValue,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttributeValue {
    /// A text.
    Text(String),
    /// Words, in an order.
    Words(Vec<&'static str>),
    /// An integer.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Yes or no.
    Switch(bool),
}

impl Attribute {
    /// Creates an attribute.
    pub fn new(name: impl Into<Cow<'static, str>>, value: impl Into<AttributeValue>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<&'static str>> for AttributeValue {
    fn from(words: Vec<&'static str>) -> Self {
        Self::Words(words)
    }
}

impl From<u64> for AttributeValue {
    fn from(count: u64) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<f64> for AttributeValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for AttributeValue {
    fn from(is_on: bool) -> Self {
        Self::Switch(is_on)
    }
}
