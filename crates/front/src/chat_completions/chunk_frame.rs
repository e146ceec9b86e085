//! The text around the pieces of a stream, which is the same for all of them.

use silcrow_event::Json;

use super::completion_head::CompletionHead;

/// A message with a chunk whose delta is one string.
#[derive(Debug)]
pub(super) struct ChunkFrame {
    before: String,
    after: String,
}

impl ChunkFrame {
    pub(super) fn new(head: &CompletionHead) -> Self {
        let chunk = head.chunk("{}".to_owned(), None);
        // No other member has this text: within a string, each quote has a backslash before it.
        let (before, after) = chunk.split_once(EMPTY_DELTA).unwrap_or((&chunk, ""));
        let before = format!("data: {before}\"delta\":{{\"");
        Self { before, after: format!("}}{after}\n\n") }
    }

    /// Writes the message of a piece. The key needs no escapes.
    pub(super) fn write(&self, key: &str, piece: &str, out: &mut String) {
        for part in [&*self.before, key, "\":"] {
            out.push_str(part);
        }
        Json::write_string(out, piece);
        out.push_str(&self.after);
    }
}

/// The only member that differs from chunk to chunk.
const EMPTY_DELTA: &str = "\"delta\":{}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_object::JsonObject;

    #[test]
    fn chunk_frame_equals_full_chunk() {
        for model in ["silcrow", "\"delta\":{}", "\\\"delta\":{},\"x"] {
            for include_usage in [false, true] {
                let head = CompletionHead::new(model, model, 1).with_usage(include_usage);
                let delta = JsonObject::new().text("content", "a\n\"b").finish();
                let mut out = String::new();
                ChunkFrame::new(&head).write("content", "a\n\"b", &mut out);
                assert_eq!(out, format!("data: {}\n\n", head.chunk(delta, None)));
            }
        }
    }
}
