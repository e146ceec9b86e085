//! Events without text for the model.
//!
//! This module recognises white space on the wire.

use silcrow_event::{Event, ThoughtOrigin};

/// Returns whether an event has no text for the model.
pub(crate) fn is_silent(event: &Event) -> bool {
    match event {
        Event::Think(think) => think.origin == ThoughtOrigin::Provider || is_blank(&think.content),
        Event::Respond(respond) => {
            is_blank(&respond.content) || respond.wire.as_deref().is_some_and(is_blank)
        }
        _ => false,
    }
}

/// Returns whether a text is only white space of the wire (P-4).
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim_matches([' ', '\t', '\r', '\n']).is_empty()
}
