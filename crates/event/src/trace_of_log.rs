//! The trace that a prompt begins, or that a log continues.

use crate::entry::Entry;
use crate::event::Event;
use crate::trace_context::TraceId;

impl TraceId {
    /// Returns the trace that a prompt of a conversation begins.
    pub fn of_prompt(conversation: &str, prompt: &Entry) -> Self {
        let (turn, time) = (prompt.turn.unwrap_or_default(), prompt.timestamp.unwrap_or_default());
        Self::new(conversation, turn, time)
    }

    /// Returns the trace that a run without a caller continues in a conversation: the trace of the
    /// last run's caller, or of the last prompt. A log without a prompt is in none.
    pub fn of_log(conversation: &str, log: &[Entry]) -> Option<Self> {
        let mut prompted = None;
        for entry in log.iter().rev() {
            let opening = entry.opening.as_ref();
            if let Some(caller) = opening.and_then(|opening| opening.caller) {
                return Some(caller.context.trace);
            }
            if prompted.is_none() && matches!(entry.event, Event::User { steer: false, .. }) {
                prompted = Some(Self::of_prompt(conversation, entry));
            }
            // Before the beginning of the run with the prompt are other traces.
            if prompted.is_some() && opening.is_some() {
                break;
            }
        }
        prompted
    }
}
