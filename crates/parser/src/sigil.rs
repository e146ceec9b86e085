//! The dialect `sigil`: the effects of its delimiters, and its writer.

use silcrow_event::{Event, TextKind};
use silcrow_lex::{Delimiter, Dialect, Options};

use crate::escape::{escape, trim};
use crate::section::DelimiterEffect;

/// Returns the effect of a delimiter (P-11).
pub(crate) fn effect(delimiter: Delimiter) -> DelimiterEffect {
    match delimiter {
        Delimiter::Think => DelimiterEffect::Text(TextKind::Think),
        Delimiter::Call => DelimiterEffect::Call,
        Delimiter::Execute => DelimiterEffect::Execute,
        Delimiter::Results => DelimiterEffect::ForgedResults,
        Delimiter::End => DelimiterEffect::End,
        _ => DelimiterEffect::Text(TextKind::Respond { last: true }),
    }
}

/// Writes `§think: …`, `§call: {…}`, `§execute`, `§respond: …` and `§end`, each on a line.
pub(crate) fn write<'a>(events: impl Iterator<Item = &'a Event>, options: Options) -> String {
    let mut out = String::new();
    for event in events {
        match event {
            Event::Think(think) => {
                section(&mut out, Delimiter::Think);
                escape(&think.content, Delimiter::Think, options, &mut out);
            }
            Event::Respond(respond) if respond.malformed.is_some() => {
                section(&mut out, Delimiter::Call);
                out.push_str(trim(&respond.content));
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

/// Writes the delimiter of a section, and a blank.
pub(crate) fn section(out: &mut String, delimiter: Delimiter) {
    line(out, delimiter);
    out.push(' ');
}

/// Writes a delimiter on a new line (P-4).
fn line(out: &mut String, delimiter: Delimiter) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(Dialect::Sigil.literal(delimiter));
}
