//! The members that all events of AG-UI have in common.

use silcrow_event::{Json, Timestamp};

use crate::json_object::JsonObject;
use crate::piece_frame::PieceFrame;
use crate::transcript::CalledAgent;

/// Returns an event without its other members.
pub(super) fn event(kind: &str) -> JsonObject {
    JsonObject::new().text("type", kind)
}

/// Writes events that happen at the same time.
#[derive(Debug)]
pub(super) struct EventWriter<'a> {
    pub(super) out: &'a mut String,
    pub(super) time: Option<Timestamp>,
}

impl EventWriter<'_> {
    /// Writes an event of a called agent, or of the run's own.
    pub(super) fn write(&mut self, agent: Option<&CalledAgent>, event: JsonObject) {
        self.out.push_str("data: ");
        self.out.push_str(&event.open());
        self.end(agent);
    }

    /// Writes the event that a text has grown by a piece.
    pub(super) fn write_piece(
        &mut self,
        agent: Option<&CalledAgent>,
        frame: &PieceFrame,
        piece: &str,
    ) {
        frame.write(piece, self.out);
        self.end(agent);
    }

    /// Writes the members that end every event. Unknown ones are left out, because clients reject
    /// `null`.
    fn end(&mut self, agent: Option<&CalledAgent>) {
        if let Some(agent) = agent {
            self.out.push_str(",\"subagentRunId\":");
            Json::write_string(self.out, &agent.id);
        }
        if let Some(time) = self.time {
            // Clients take whole numbers only.
            let millis = time.as_nanos() / NANOS_PER_MILLI;
            self.out.push_str(if millis < 0 { ",\"timestamp\":-" } else { ",\"timestamp\":" });
            Json::write_integer(self.out, millis.unsigned_abs());
        }
        self.out.push_str("}\n\n");
    }
}

const NANOS_PER_MILLI: i64 = 1_000_000;
