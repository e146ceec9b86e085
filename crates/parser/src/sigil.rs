use silcrow_event::{Event, TextKind};
use silcrow_lex::{Delimiter, Dialect};

use crate::escape::escape;
use crate::options::Options;
use crate::section::Turn;

/// Reading: what a delimiter of `sigil` does (P-11).
pub(crate) fn turn(marker: Delimiter) -> Turn {
    match marker {
        Delimiter::Think => Turn::Say(TextKind::Think),
        Delimiter::Call => Turn::Call,
        Delimiter::Execute => Turn::Execute,
        Delimiter::Results => Turn::Forged,
        Delimiter::End => Turn::End,
        _ => Turn::Say(TextKind::Respond { last: true }),
    }
}

/// Writing: `§think: …`, `§call: {…}`, `§execute`, `§respond: …`, `§end`, each on a line.
pub(crate) fn write<'a>(events: impl Iterator<Item = &'a Event>, options: Options) -> String {
    let mut out = String::new();
    for event in events {
        match event {
            Event::Think(think) => {
                section(&mut out, Delimiter::Think);
                escape(&think.content, Delimiter::Think, options, &mut out);
            }
            Event::Respond(respond) => {
                section(&mut out, Delimiter::Respond);
                let content = respond.wire.as_ref().unwrap_or(&respond.content);
                escape(content, Delimiter::Respond, options, &mut out);
            }
            Event::Call(call) => {
                section(&mut out, Delimiter::Call);
                out.push_str(call.content());
            }
            Event::Execute => line(&mut out, Delimiter::Execute),
            Event::End => line(&mut out, Delimiter::End),
            _ => {}
        }
    }
    out
}

/// A section delimiter, and the blank behind it.
pub(crate) fn section(out: &mut String, marker: Delimiter) {
    line(out, marker);
    out.push(' ');
}

/// A delimiter on a line of its own (P-4).
fn line(out: &mut String, marker: Delimiter) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(Dialect::Sigil.literal(marker));
}
