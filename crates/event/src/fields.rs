//! Reads the members of JSON objects.
//!
//! This module knows numbers, words and lists as our JSON writes them. It does not know any event.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::json::Json;
use crate::seconds::Seconds;
use crate::unknown_word::UnknownWord;

/// The members of a JSON object by name, each as JSON text.
#[derive(Default)]
pub(crate) struct Fields<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    pub(crate) fn of(object: &'a str) -> Result<Self, ReadEntryError> {
        serde_json::from_str(object).map(Self).map_err(|error| {
            if error.is_data() {
                ReadEntryError("this is not a JSON object".to_owned())
            } else {
                ReadEntryError(format!("this is not valid JSON: {error}"))
            }
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        self.0.get(key).map(|value| value.get())
    }

    pub(crate) fn maybe(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    pub(crate) fn text(&self, key: &str) -> Result<String, ReadEntryError> {
        match self.get(key) {
            Some(text) => serde_json::from_str(text)
                .map_err(|_| ReadEntryError(format!("`{key}` is not a string"))),
            None => Err(ReadEntryError(format!("`{key}` is missing"))),
        }
    }

    pub(crate) fn json(&self, key: &str) -> Option<Json> {
        Json::parse(self.get(key)?)
    }

    /// Returns the members of each object of an array, or `None` if it is not an array of objects.
    pub(crate) fn objects(&self, key: &str) -> Option<Vec<Self>> {
        let items: Vec<&'a RawValue> = serde_json::from_str(self.get(key)?).ok()?;
        items.into_iter().map(|item| Self::of(item.get()).ok()).collect()
    }

    /// Returns the members of an object, or `None` if there is no object with this name.
    pub(crate) fn object(&self, key: &str) -> Option<Self> {
        Self::of(self.get(key)?).ok()
    }

    /// Returns the strings of an array, or an empty list if the member is anything else.
    pub(crate) fn strings(&self, key: &str) -> Vec<String> {
        self.get(key).and_then(|array| serde_json::from_str(array).ok()).unwrap_or_default()
    }

    /// Reads a number exactly as it is written.
    pub(crate) fn number<T: FromStr>(&self, key: &str) -> Option<T> {
        self.get(key)?.parse().ok()
    }

    /// Returns a duration from its number of seconds.
    pub(crate) fn duration(&self, key: &str) -> Option<Duration> {
        self.number(key).map(|Seconds(duration)| duration)
    }

    pub(crate) fn word<T: FromStr<Err = UnknownWord>>(
        &self,
        key: &str,
        default: T,
    ) -> Result<T, ReadEntryError> {
        let Some(word) = self.maybe(key) else { return Ok(default) };
        word.parse().map_err(|unknown: UnknownWord| {
            let words = unknown.words().join(", ");
            ReadEntryError(format!("`{key}` is `{word}`; it may be {words}"))
        })
    }
}

/// The error that a line is not an event, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadEntryError(String);

impl ReadEntryError {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for ReadEntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadEntryError {}
