//! The members that all events of AG-UI have in common.

use silcrow_event::Timestamp;

use crate::json_object::JsonObject;
use crate::sse::write_data;
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
    /// Writes an event of a called agent, or of the run's own. Members that are not known are left
    /// out, because clients reject `null`.
    pub(super) fn write(&mut self, agent: Option<&CalledAgent>, mut event: JsonObject) {
        if let Some(agent) = agent {
            event = event.text("subagentRunId", &agent.id);
        }
        if let Some(time) = self.time {
            // Clients take whole numbers only.
            let millis = time.as_nanos() / NANOS_PER_MILLI;
            event = match u64::try_from(millis) {
                Ok(millis) => event.integer("timestamp", millis),
                Err(_) => event.raw("timestamp", millis),
            };
        }
        write_data(self.out, &event.finish());
    }
}

const NANOS_PER_MILLI: i64 = 1_000_000;
