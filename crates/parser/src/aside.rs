use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

use crate::flow::{Sink, is_space};

/// Text where none belongs: it becomes a note.
#[derive(Debug)]
pub(crate) struct Aside {
    oddity: DiagnosticKind,
    text: String,
    at: u64,
    /// The code fence that the call body stood in closes here (P-8).
    fenced: bool,
    full: bool,
}

/// How much of it a note tells, in bytes.
const MAX_NOTE: usize = 64 << 10;

impl Aside {
    pub(crate) const fn new(oddity: DiagnosticKind, fenced: bool) -> Self {
        Self { oddity, text: String::new(), at: 0, fenced, full: false }
    }

    /// Takes text that stands at `at` of the wire text.
    pub(crate) fn push(&mut self, text: &str, at: u64) {
        let mut text = text;
        if self.text.is_empty() {
            let content = text.trim_start_matches(is_space);
            self.at = at + (text.len() - content.len()) as u64;
            text = content;
        }
        if self.full {
            return;
        }
        let room = MAX_NOTE - self.text.len();
        self.full = text.len() > room;
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
    }

    /// Gives out the note, unless there was nothing but white space and the fence.
    pub(crate) fn close(self, sink: &mut Sink<'_>) {
        let fence = self.fenced && self.text.starts_with("```");
        let text = if fence { self.text.trim_start_matches('`') } else { &self.text };
        let text = text.trim_matches(is_space);
        if !text.is_empty() {
            let (oddity, at) = (self.oddity, self.at);
            sink(Fragment::Diagnostic(Diagnostic { kind: oddity, content: text.to_owned(), at }));
        }
    }
}
