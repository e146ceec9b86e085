use silcrow_event::{Event, ThoughtOrigin};
use silcrow_lex::Dialect;

use crate::escape::trim;
use crate::options::Options;
use crate::{action, phase, sigil};

/// Wire text that reads as these model events: the inverse of parsing (L-4).
///
/// Events that no model writes are left out, and so are thoughts that a provider gave beside the
/// wire, and blank ones.
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
    match options.dialect {
        Dialect::Sigil => sigil::write(events, options),
        Dialect::Phase => phase::write(events, options),
        Dialect::Action => action::write(events, options),
    }
}
