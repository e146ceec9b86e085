//! A message of the stream: its type, its members and its number.

use std::fmt::Display;

use silcrow_event::Json;

use crate::json_object::JsonObject;
use crate::piece_frame::PieceFrame;

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

    /// Returns the beginning of the messages about pieces, each the member `key`.
    pub(super) fn into_frame(self, key: &str) -> PieceFrame {
        let Self { kind, members } = self;
        PieceFrame::new(format!("event: {kind}\ndata: {}", members.until(key)))
    }

    pub(super) fn write(self, number: u64, out: &mut String) {
        out.extend(["event: ", self.kind, "\ndata: "]);
        out.push_str(&self.members.open());
        write_number(number, out);
    }
}

/// Writes the number of a message, and its end.
pub(super) fn write_number(number: u64, out: &mut String) {
    out.push_str(",\"sequence_number\":");
    Json::write_integer(out, number);
    out.push_str("}\n\n");
}
