//! A message of the stream: its type, its members and its number.

use std::fmt::Display;

use crate::json_object::JsonObject;
use crate::sse::write_data;

use super::response_item::ResponseItem;

/// A message that has no number yet.
pub(super) struct StreamMessage {
    kind: &'static str,
    members: JsonObject,
}

impl StreamMessage {
    pub(super) fn new(kind: &'static str) -> Self {
        Self { kind, members: JsonObject::new().text("type", kind) }
    }

    /// Begins a message about a part of an item.
    pub(super) fn about(kind: &'static str, index: usize, item: &ResponseItem) -> Self {
        Self::new(kind).integer("output_index", index as u64).text("item_id", &item.id)
    }

    /// Begins a message with an item.
    pub(super) fn with_item(kind: &'static str, index: usize, item: String) -> Self {
        Self::new(kind).raw("output_index", index).raw("item", item)
    }

    pub(super) fn raw(self, key: &str, json: impl Display) -> Self {
        Self { kind: self.kind, members: self.members.raw(key, json) }
    }

    pub(super) fn integer(self, key: &str, number: u64) -> Self {
        Self { kind: self.kind, members: self.members.integer(key, number) }
    }

    pub(super) fn text(self, key: &str, text: &str) -> Self {
        Self { kind: self.kind, members: self.members.text(key, text) }
    }

    pub(super) fn write(self, number: u64, out: &mut String) {
        out.extend(["event: ", self.kind, "\n"]);
        write_data(out, &self.members.integer("sequence_number", number).finish());
    }
}
