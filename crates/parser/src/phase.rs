use silcrow_event::{Event, Voice};
use silcrow_lex::{Dialect, Marker};

use crate::escape::escape;
use crate::options::Options;
use crate::section::Turn;

/// Reading: what a marker of `phase` does (P-16).
pub(crate) fn turn(marker: Marker) -> Turn {
    match marker {
        Marker::Think => Turn::Say(Voice::Think),
        Marker::Calls => Turn::Call,
        Marker::Execute => Turn::Execute,
        Marker::Results => Turn::Forged,
        Marker::End => Turn::End,
        // Behind a closing tag, text is an answer (P-5).
        _ => Turn::Say(Voice::Respond { last: true }),
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
                out.marker(Marker::Think);
                escape(&think.content, Marker::Think, options, &mut out.out);
                out.marker(Marker::ThinkEnd);
            }
            Event::Respond(respond) => {
                if out.last == Last::Respond {
                    // Two answers in a row are parted (P-5).
                    out.marker(Marker::Think);
                    out.out.push_str(Dialect::Phase.literal(Marker::ThinkEnd));
                }
                out.line();
                let content = respond.wire.as_ref().unwrap_or(&respond.content);
                escape(content, Marker::Respond, options, &mut out.out);
                out.last = Last::Respond;
            }
            Event::Call(call) => {
                if out.last == Last::Call {
                    out.out.push(',');
                } else {
                    out.marker(Marker::Calls);
                    out.out.push_str("\n[");
                }
                out.out.push_str("\n  ");
                out.out.push_str(call.content());
                out.last = Last::Call;
            }
            Event::End => out.marker(Marker::End),
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

    fn marker(&mut self, marker: Marker) {
        // The tag that opens a thought may stand right before its text.
        self.line();
        self.out.push_str(Dialect::Phase.literal(marker));
        self.last = Last::Marker;
    }

    fn end_calls(&mut self) {
        if self.last == Last::Call {
            self.out.push_str("\n]");
            self.marker(Marker::Execute);
        }
    }
}
