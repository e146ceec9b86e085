//! A message about a piece of a text, most of which is the same for all pieces of the text.

use silcrow_event::Json;

/// The beginning of the messages about the pieces of one text, up to the piece.
#[derive(Debug)]
pub(crate) struct PieceFrame {
    before: String,
}

impl PieceFrame {
    /// Creates a frame whose messages begin with this text, up to the value of a member.
    pub(crate) const fn new(before: String) -> Self {
        Self { before }
    }

    /// Writes a message up to the end of the piece. Members may follow, and the end of the object.
    pub(crate) fn write(&self, piece: &str, out: &mut String) {
        out.push_str(&self.before);
        Json::write_string(out, piece);
    }
}
