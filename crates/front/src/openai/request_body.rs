//! The members of a request's body, with errors that name the fault.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::{OpenAiError, OpenAiErrorKind};

/// A JSON object of a request. A member that is null counts as missing.
pub(crate) struct RequestBody<'a> {
    members: &'a Map<String, Value>,
    /// The path of the object with a dot at its end, or nothing for the whole body.
    path: String,
}

impl<'a> RequestBody<'a> {
    /// Reads JSON.
    pub(crate) fn parse(body: &[u8]) -> Result<Value, OpenAiError> {
        serde_json::from_slice(body)
            .map_err(|why| invalid("", format!("{BODY} is not JSON: {why}.")))
    }

    /// Reads an object at a path, which is empty for the whole body.
    pub(crate) fn read(value: &'a Value, path: &str) -> Result<Self, OpenAiError> {
        let Some(members) = value.as_object() else {
            let what = if path.is_empty() { BODY.to_owned() } else { format!("`{path}`") };
            let message = format!("{what} has to be an object, but is {}.", kind_of(value));
            return Err(invalid(path, message));
        };
        let path = if path.is_empty() { String::new() } else { format!("{path}.") };
        Ok(Self { members, path })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, key: &str) -> Result<Option<&'a str>, OpenAiError> {
        let read =
            |value: &'a Value| value.as_str().ok_or_else(|| self.wrong(key, "a string", value));
        self.get(key).map(read).transpose()
    }

    pub(crate) fn required_text(&self, key: &str) -> Result<&'a str, OpenAiError> {
        self.text(key)?.ok_or_else(|| self.missing(key))
    }

    pub(crate) fn bool(&self, key: &str) -> Result<Option<bool>, OpenAiError> {
        let read = |value: &Value| {
            value.as_bool().ok_or_else(|| self.wrong(key, "`true` or `false`", value))
        };
        self.get(key).map(read).transpose()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.members.iter()
    }

    /// Reads a number of things, which is at most 2³² − 1.
    pub(crate) fn count(&self, key: &str) -> Result<Option<u32>, OpenAiError> {
        let read = |value: &Value| {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| {
                let at = self.at(key);
                invalid(&at, format!("`{at}` has to be a whole number from 0 to 4294967295."))
            })
        };
        self.get(key).map(read).transpose()
    }

    pub(crate) fn required_array(&self, key: &str) -> Result<&'a [Value], OpenAiError> {
        match self.get(key) {
            Some(Value::Array(values)) => Ok(values),
            Some(other) => Err(self.wrong(key, "an array", other)),
            None => Err(self.missing(key)),
        }
    }

    /// Reads an object of strings, such as metadata.
    pub(crate) fn texts(&self, key: &str) -> Result<BTreeMap<String, String>, OpenAiError> {
        let Some(value) = self.get(key) else { return Ok(BTreeMap::new()) };
        let texts = RequestBody::read(value, &self.at(key))?;
        let read = |key: &String| Ok((key.clone(), texts.required_text(key)?.to_owned()));
        texts.members.keys().map(read).collect()
    }

    /// Returns the path of a member.
    pub(crate) fn at(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }

    pub(crate) fn missing(&self, key: &str) -> OpenAiError {
        let at = self.at(key);
        invalid(&at, format!("`{at}` is missing.")).with_code("missing_required_parameter")
    }

    pub(crate) fn wrong(&self, key: &str, expected: &str, value: &Value) -> OpenAiError {
        let at = self.at(key);
        invalid(&at, format!("`{at}` has to be {expected}, but is {}.", kind_of(value)))
    }

    pub(crate) fn invalid(&self, key: &str, message: impl Into<String>) -> OpenAiError {
        invalid(&self.at(key), message)
    }
}

/// Returns the kind of a value, with its article.
const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn invalid(path: &str, message: impl Into<String>) -> OpenAiError {
    let error = OpenAiError::new(OpenAiErrorKind::Invalid, message);
    if path.is_empty() { error } else { error.with_param(path) }
}

const BODY: &str = "The body of the request";
