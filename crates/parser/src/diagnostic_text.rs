//! Text in a place where it has no meaning, collected for a diagnostic.
//!
//! This module bounds and trims the text. Its callers give the reason.

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

use crate::section_text::{FragmentSink, is_space};

/// Text that becomes a diagnostic.
#[derive(Debug)]
pub(crate) struct DiagnosticText {
    kind: DiagnosticKind,
    text: String,
    at: u64,
    /// Whether the code fence around the call's body closes here (P-8).
    pub(crate) fenced: bool,
    full: bool,
}

/// The maximal length of the text in bytes.
const MAX_TEXT: usize = 64 << 10;

impl DiagnosticText {
    pub(crate) const fn new(kind: DiagnosticKind, fenced: bool) -> Self {
        Self { kind, text: String::new(), at: 0, fenced, full: false }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes text at position `at` of the wire text.
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
        let room = MAX_TEXT - self.text.len();
        self.full = text.len() > room;
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
    }

    /// Returns whether a delimiter at this position of its line counts: not after a run of backticks
    /// or tildes, unless the run closes the fence around the body (P-34).
    pub(crate) fn delimiter_counts(&self) -> bool {
        let line = self.text.rsplit('\n').next().unwrap_or_default();
        let is_fence = line.trim_start_matches(' ').starts_with(is_tick);
        !is_fence
            || self.fenced && self.text.trim_matches(is_space).trim_matches(is_tick).is_empty()
    }

    /// Emits the diagnostic, unless the text is only white space and the end of the fence. Returns
    /// whether it does.
    pub(crate) fn close(self, sink: &mut FragmentSink<'_>) -> bool {
        let text = match &*self.text {
            text if self.fenced && text.starts_with("```") => text.trim_start_matches('`'),
            text if self.fenced && text.starts_with("~~~") => text.trim_start_matches('~'),
            text => text,
        };
        let text = text.trim_matches(is_space);
        if !text.is_empty() {
            let (kind, at) = (self.kind, self.at);
            sink(Fragment::Diagnostic(Diagnostic { kind, content: text.to_owned(), at: Some(at) }));
        }
        !text.is_empty()
    }
}

fn is_tick(char: char) -> bool {
    char == '`' || char == '~'
}
