//! One JSON object, whose members keep the order in which they are written.

use std::fmt::Display;

use serde_json::value::RawValue;
use silcrow_event::Json;

/// Writes one JSON object on one line. Its keys need no escapes.
#[derive(Debug, Default)]
pub(crate) struct JsonObject {
    members: String,
}

impl JsonObject {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a member whose value is this JSON, which is on one line.
    pub(crate) fn raw(mut self, key: &str, json: impl Display) -> Self {
        let (comma, json) = (if self.members.is_empty() { "" } else { "," }, json.to_string());
        debug_assert!(serde_json::from_str::<&RawValue>(&json).is_ok(), "{json}");
        self.members.extend([comma, "\"", key, "\":", &json]);
        self
    }

    /// Adds a string.
    pub(crate) fn text(self, key: &str, text: &str) -> Self {
        self.raw(key, Json::string(text))
    }

    /// Adds a string, or null.
    pub(crate) fn text_or_null(self, key: &str, text: Option<&str>) -> Self {
        self.or_null(key, text.map(Json::string))
    }

    /// Adds a member whose value is this JSON, or null.
    pub(crate) fn or_null(self, key: &str, json: Option<impl Display>) -> Self {
        match json {
            Some(json) => self.raw(key, json),
            None => self.raw(key, "null"),
        }
    }

    /// Adds a string, if there is one.
    pub(crate) fn maybe_text(self, key: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(key, text),
            None => self,
        }
    }

    /// Returns the text of the object.
    pub(crate) fn finish(mut self) -> String {
        self.members.insert(0, '{');
        self.members.push('}');
        self.members
    }
}
