//! The inverse of parsing.
//!
//! This module chooses the events to write. The module of each dialect writes them.

use silcrow_event::{Event, ThoughtOrigin};
use silcrow_lex::{Dialect, Options};

use crate::beginning::BYTE_ORDER_MARK;
use crate::escape::trim;
use crate::{action, phase, sigil};

/// Writes a model's events as wire text: the inverse of parsing (L-4).
///
/// Leaves out events that a model does not write, blank texts, and thoughts that a provider
/// delivered separately. The text of a malformed call is written verbatim, as a call.
///
/// ```
/// use silcrow_event::Event;
/// use silcrow_parser::{Dialect, write};
///
/// let events = [Event::think("easy"), Event::respond("It is 4.")];
/// assert_eq!(write(&events, Dialect::Phase), "<think>easy</think>\nIt is 4.");
/// ```
pub fn write<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    options: impl Into<Options>,
) -> String {
    let options = options.into();
    let events = events.into_iter().filter(|event| match event {
        Event::Think(think) => {
            think.origin == ThoughtOrigin::Model && !trim(&think.content).is_empty()
        }
        Event::Respond(respond) => {
            !trim(respond.wire.as_ref().unwrap_or(&respond.content)).is_empty()
        }
        _ => true,
    });
    let mut wire = match options.dialect {
        Dialect::Sigil => sigil::write(events, options),
        Dialect::Phase => phase::write(events, options),
        Dialect::Action => action::write(events, options),
    };
    if wire.starts_with(BYTE_ORDER_MARK) {
        // A parser drops the first one (P-4).
        wire.insert(0, BYTE_ORDER_MARK);
    }
    wire
}
