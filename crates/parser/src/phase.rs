use silcrow_event::{Event, TextKind};
use silcrow_lex::{Delimiter, Dialect};

use crate::escape::escape;
use crate::options::Options;
use crate::section::Turn;

/// Reading: what a delimiter of `phase` does (P-16).
pub(crate) fn turn(marker: Delimiter) -> Turn {
    match marker {
        Delimiter::Think => Turn::Say(TextKind::Think),
        Delimiter::Calls => Turn::Call,
        Delimiter::Execute => Turn::Execute,
        Delimiter::Results => Turn::Forged,
        Delimiter::End => Turn::End,
        // Behind a closing tag, text is an answer (P-5).
        _ => Turn::Say(TextKind::Respond { last: true }),
    }
}

/// Writing: `<think>…</think>`, `<execute>[…]</execute>`, text, `<end>`.
pub(crate) fn write<'a>(events: impl Iterator<Item = &'a Event>, options: Options) -> String {
    let mut out = Writer { out: String::new(), last: Last::Marker };
    for event in events {
        if !matches!(event, Event::Call(_)) {
            out.end_calls();
        }
        match event {
            Event::Think(think) => {
                out.delimiter(Delimiter::Think);
                escape(&think.content, Delimiter::Think, options, &mut out.out);
                out.delimiter(Delimiter::ThinkEnd);
            }
            Event::Respond(respond) => {
                if out.last == Last::Respond {
                    // Two answers in a row are parted (P-5).
                    out.delimiter(Delimiter::Think);
                    out.out.push_str(Dialect::Phase.literal(Delimiter::ThinkEnd));
                }
                out.line();
                let content = respond.wire.as_ref().unwrap_or(&respond.content);
                escape(content, Delimiter::Respond, options, &mut out.out);
                out.last = Last::Respond;
            }
            Event::Call(call) => {
                if out.last == Last::Call {
                    out.out.push(',');
                } else {
                    out.delimiter(Delimiter::Calls);
                    out.out.push_str("\n[");
                }
                out.out.push_str("\n  ");
                out.out.push_str(call.content());
                out.last = Last::Call;
            }
            Event::End => out.delimiter(Delimiter::End),
            _ => {}
        }
    }
    out.end_calls();
    out.out
}

struct Writer {
    out: String,
    last: Last,
}

/// What was written last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Marker,
    Respond,
    Call,
}

impl Writer {
    /// A line break, unless nothing is written yet (P-4).
    fn line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn delimiter(&mut self, marker: Delimiter) {
        // The tag that opens a thought may stand right before its text.
        self.line();
        self.out.push_str(Dialect::Phase.literal(marker));
        self.last = Last::Marker;
    }

    fn end_calls(&mut self) {
        if self.last == Last::Call {
            self.out.push_str("\n]");
            self.delimiter(Delimiter::Execute);
        }
    }
}
