//! The dialect `phase`: the effects of its delimiters, and its writer.

use silcrow_event::{Event, TextKind};
use silcrow_lex::{Delimiter, Dialect, Options};

use crate::escape::{escape, trim};
use crate::section::DelimiterEffect;

/// Returns the effect of a delimiter (P-16).
pub(crate) fn effect(delimiter: Delimiter) -> DelimiterEffect {
    match delimiter {
        Delimiter::Think => DelimiterEffect::Text(TextKind::Think),
        Delimiter::Calls => DelimiterEffect::Call,
        Delimiter::Execute => DelimiterEffect::Execute,
        Delimiter::Results => DelimiterEffect::ForgedResults,
        Delimiter::End => DelimiterEffect::End,
        // After a closing tag, text is an answer (P-5).
        _ => DelimiterEffect::Text(TextKind::Respond { last: true }),
    }
}

/// Writes `<think>…</think>`, `<execute>[…]</execute>`, text and `<end>`.
pub(crate) fn write<'a>(events: impl Iterator<Item = &'a Event>, options: Options) -> String {
    let mut out =
        PhaseWriter { out: String::new(), last: LastWritten::Delimiter, first_call: None };
    for event in events {
        let call = call_text(event);
        if call.is_none() {
            out.end_calls();
        }
        match event {
            _ if let Some(text) = call => out.call(text),
            Event::Think(think) => {
                out.delimiter(Delimiter::Think);
                escape(&think.content, Delimiter::Think, options, &mut out.out);
                out.end_thought();
            }
            Event::Respond(respond) => {
                if out.last == LastWritten::Respond {
                    // An empty thought separates two consecutive answers (P-5).
                    out.delimiter(Delimiter::Think);
                    out.out.push_str(Dialect::Phase.literal(Delimiter::ThinkEnd));
                }
                out.line();
                let content = respond.wire.as_ref().unwrap_or(&respond.content);
                escape(content, Delimiter::Respond, options, &mut out.out);
                out.last = LastWritten::Respond;
            }
            Event::End => out.delimiter(Delimiter::End),
            _ => {}
        }
    }
    out.end_calls();
    out.out
}

/// Returns the text of an element of the list of calls, which a malformed call is too.
fn call_text(event: &Event) -> Option<&str> {
    match event {
        Event::Call(call) => Some(call.content()),
        Event::Respond(respond) if respond.malformed.is_some() => Some(trim(&respond.content)),
        _ => None,
    }
}

struct PhaseWriter {
    out: String,
    last: LastWritten,
    /// The beginning of the only call of the open list; `None` once there are more.
    first_call: Option<usize>,
}

/// The last thing that was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastWritten {
    Delimiter,
    Thought,
    Respond,
    Call,
}

impl PhaseWriter {
    /// Writes a line break, unless nothing is written yet (P-4).
    fn line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn delimiter(&mut self, delimiter: Delimiter) {
        // Only a line break before a delimiter belongs to it: text may follow a tag directly.
        self.line();
        self.out.push_str(Dialect::Phase.literal(delimiter));
        self.last = LastWritten::Delimiter;
    }

    /// Writes the end of a thought, on its last line unless that could be read in another way.
    fn end_thought(&mut self) {
        if self.out.ends_with(['<', '`', '~']) {
            self.line();
        }
        self.out.push_str(Dialect::Phase.literal(Delimiter::ThinkEnd));
        self.last = LastWritten::Thought;
    }

    /// Writes a call: the only one on the line of its list, several on a line each. A blank line is
    /// between a thought and the list.
    fn call(&mut self, text: &str) {
        if self.last == LastWritten::Call {
            if let Some(first) = self.first_call.take() {
                self.out.insert_str(first, "\n  ");
            }
            self.out.push_str(",\n  ");
        } else {
            if self.last == LastWritten::Thought {
                self.line();
            }
            self.delimiter(Delimiter::Calls);
            self.out.push('[');
            self.first_call = Some(self.out.len());
        }
        self.out.push_str(text);
        self.last = LastWritten::Call;
    }

    fn end_calls(&mut self) {
        if self.last == LastWritten::Call {
            self.out.push_str(if self.first_call.take().is_some() { "]" } else { "\n]" });
            self.out.push_str(Dialect::Phase.literal(Delimiter::Execute));
            self.last = LastWritten::Delimiter;
        }
    }
}
