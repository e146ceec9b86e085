//! One JSON object, whose members keep the order in which they are written.

use std::fmt::{Display, Write as _};

use serde_json::value::RawValue;
use silcrow_event::Json;

/// Writes one JSON object on one line. Its keys need no escapes.
///
/// Members are written where they belong, so a small object takes one allocation.
#[derive(Debug)]
pub(crate) struct JsonObject {
    /// The object without its last brace.
    text: String,
}

impl JsonObject {
    pub(crate) fn new() -> Self {
        let mut text = String::with_capacity(SMALL);
        text.push('{');
        Self { text }
    }

    /// Adds a member whose value is this JSON, which is on one line.
    pub(crate) fn raw(mut self, key: &str, json: impl Display) -> Self {
        self.key(key);
        let begin = self.text.len();
        write!(self.text, "{json}").expect("a string takes everything");
        debug_assert!(
            serde_json::from_str::<&RawValue>(&self.text[begin..]).is_ok(),
            "{}",
            &self.text[begin..]
        );
        self
    }

    /// Adds a number without a fraction.
    pub(crate) fn integer(mut self, key: &str, number: u64) -> Self {
        self.key(key);
        Json::push_integer(&mut self.text, number);
        self
    }

    /// Adds a string.
    pub(crate) fn text(mut self, key: &str, text: &str) -> Self {
        self.key(key);
        Json::push_string(&mut self.text, text);
        self
    }

    /// Adds a string, or null.
    pub(crate) fn text_or_null(self, key: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(key, text),
            None => self.raw(key, "null"),
        }
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
        self.text.push('}');
        self.text
    }

    fn key(&mut self, key: &str) {
        self.text.push_str(if self.text.len() == 1 { "\"" } else { ",\"" });
        self.text.push_str(key);
        self.text.push_str("\":");
    }
}

/// The size in bytes of an object for a piece of text, with room for the piece.
const SMALL: usize = 256;
