use silcrow_event::{Event, Voice};
use silcrow_lex::{Dialect, Marker};

use crate::escape::escape;
use crate::options::Options;
use crate::section::Turn;

/// Reading: what a marker of `sigil` does (P-11).
pub(crate) fn turn(marker: Marker) -> Turn {
    match marker {
        Marker::Think => Turn::Say(Voice::Think),
        Marker::Call => Turn::Call,
        Marker::Execute => Turn::Execute,
        Marker::Results => Turn::Forged,
        Marker::End => Turn::End,
        _ => Turn::Say(Voice::Respond { last: true }),
    }
}

/// Writing: `§think: …`, `§call: {…}`, `§execute`, `§respond: …`, `§end`, each on a line.
pub(crate) fn write<'a>(events: impl Iterator<Item = &'a Event>, options: Options) -> String {
    let mut out = String::new();
    for event in events {
        match event {
            Event::Think(think) => {
                section(&mut out, Marker::Think);
                escape(&think.content, Marker::Think, options, &mut out);
            }
            Event::Respond(respond) => {
                section(&mut out, Marker::Respond);
                let content = respond.wire.as_ref().unwrap_or(&respond.content);
                escape(content, Marker::Respond, options, &mut out);
            }
            Event::Call(call) => {
                section(&mut out, Marker::Call);
                out.push_str(call.content());
            }
            Event::Execute => line(&mut out, Marker::Execute),
            Event::End => line(&mut out, Marker::End),
            _ => {}
        }
    }
    out
}

/// A section marker, and the blank behind it.
pub(crate) fn section(out: &mut String, marker: Marker) {
    line(out, marker);
    out.push(' ');
}

/// A marker on a line of its own (P-4).
fn line(out: &mut String, marker: Marker) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(Dialect::Sigil.literal(marker));
}
