//! One JSON object, whose members keep the order in which they are written.

use std::fmt::{Display, Write as _};

use serde_json::value::RawValue;
use silcrow_event::Json;

/// Writes one JSON object on one line. Its keys need no escapes.
///
/// Members are written in place, so a small object takes one allocation.
#[derive(Debug)]
pub(crate) struct JsonObject {
    /// The text before the object, and the object without its last brace.
    text: String,
    has_members: bool,
}

impl JsonObject {
    pub(crate) fn new() -> Self {
        Self::after(String::with_capacity(SMALL))
    }

    /// Begins an object at the end of a text, which takes no allocation if the text has room.
    pub(crate) fn after(mut text: String) -> Self {
        text.push('{');
        Self { text, has_members: false }
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
        Json::write_integer(&mut self.text, number);
        self
    }

    /// Adds a string.
    pub(crate) fn text(mut self, key: &str, text: &str) -> Self {
        self.key(key);
        Json::write_string(&mut self.text, text);
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

    /// Returns the text of the object up to the value of one more member.
    pub(crate) fn until(mut self, key: &str) -> String {
        self.key(key);
        self.text
    }

    /// Returns the text of the object without its last brace. It has a member.
    pub(crate) fn open(self) -> String {
        self.text
    }

    /// Returns the text of the object, after the text before it.
    pub(crate) fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }

    fn key(&mut self, key: &str) {
        if self.has_members {
            self.text.push(',');
        }
        self.has_members = true;
        self.text.push('"');
        self.text.push_str(key);
        self.text.push_str("\":");
    }
}

/// The size in bytes of an object for a piece of text, with room for the piece.
const SMALL: usize = 256;
