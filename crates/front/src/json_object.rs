//! One JSON object, whose members keep the order in which they are written.

use std::fmt::{Display, Write as _};

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
        let comma = if self.members.is_empty() { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(self.members, "{comma}\"{key}\":{json}");
        self
    }

    /// Adds a string.
    pub(crate) fn text(self, key: &str, text: &str) -> Self {
        self.raw(key, Json::string(text))
    }

    /// Returns the text of the object.
    pub(crate) fn finish(mut self) -> String {
        self.members.insert(0, '{');
        self.members.push('}');
        self.members
    }
}
