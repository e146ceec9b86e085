//! The calls of a loop, of which there is one for each item.
//!
//! This module reads the ids of such calls.

use silcrow_event::Event;
use silcrow_term::fit::shortened;

/// Returns the id of a call in a loop, which says the item that the call is about (P-30).
pub(crate) fn instance(event: &Event) -> Option<&str> {
    let id = match event {
        Event::Call(call) => call.id(),
        Event::Result(outcome) => outcome.id.as_deref()?,
        _ => return None,
    };
    id.contains("].").then_some(id)
}

/// Returns that id with a blank after it, or nothing for any other event.
pub(crate) fn instance_prefix(event: &Event) -> String {
    instance(event).map_or_else(String::new, |id| format!("{} ", shortened(id, 60)))
}
