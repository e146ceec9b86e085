//! The text around the bodies of calls: the punctuation of a list, and a code fence.
//!
//! A frame is before, between or after the items: text after the closing bracket, or after the
//! fence, is *trailing*. It does not know what an item contains.

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

use crate::diagnostic_text::DiagnosticText;
use crate::section_text::FragmentSink;

/// The brackets and commas of a list of calls, and a code fence (P-8).
#[derive(Debug)]
pub(crate) struct BodyFrame {
    /// Whether the bodies are in a code fence.
    pub(crate) fenced: bool,
    /// Whether the position is on the line that opens the fence, before a bracket.
    in_fence_line: bool,
    /// Whether a list's bracket is open.
    open: bool,
    items: u32,
    /// Whether a comma follows the last item.
    has_comma: bool,
    /// The text after the closing bracket, or after the fence.
    trailing: Option<DiagnosticText>,
}

impl BodyFrame {
    pub(crate) const fn new() -> Self {
        Self {
            fenced: false,
            in_fence_line: false,
            open: false,
            items: 0,
            has_comma: false,
            trailing: None,
        }
    }

    /// Takes text at position `at` of the wire text, and reports repairs.
    pub(crate) fn push(&mut self, text: &str, at: u64, sink: &mut FragmentSink<'_>) {
        if let Some(trailing) = &mut self.trailing {
            trailing.push(text, at);
            return;
        }
        if matches!(text, "```" | "~~~") && !self.fenced {
            self.fenced = true;
            self.in_fence_line = true;
            return;
        }
        for (index, char) in text.char_indices() {
            let at = at + index as u64;
            match char {
                '\n' => self.in_fence_line = false,
                '[' => {
                    self.in_fence_line = false;
                    self.open = true;
                }
                _ if self.in_fence_line => {}
                '`' | '~' => {
                    // The fence closes, with or without the list's bracket.
                    let mut trailing = DiagnosticText::new(DiagnosticKind::StrayText, self.fenced);
                    trailing.push(&text[index..], at);
                    self.trailing = Some(trailing);
                    return;
                }
                ',' => {
                    if self.has_comma || self.items == 0 {
                        repaired("a comma without a call before it was dropped", at, sink);
                    }
                    self.has_comma = true;
                }
                ']' => {
                    if self.has_comma {
                        repaired("a comma after the last call was dropped", at, sink);
                    }
                    self.open = false;
                    self.end();
                }
                _ => {}
            }
        }
    }

    /// Ends the frame: what follows is trailing text.
    pub(crate) fn end(&mut self) {
        self.trailing = Some(DiagnosticText::new(DiagnosticKind::StrayText, self.fenced));
    }

    /// Begins an item at position `at`, where a missing comma is reported.
    pub(crate) fn item(&mut self, at: u64, sink: &mut FragmentSink<'_>) {
        if self.items > 0 && !self.has_comma {
            repaired("a comma between two calls was missing", at, sink);
        }
        self.items += 1;
        self.has_comma = false;
        self.in_fence_line = false;
    }

    /// Ends the section at position `at`. At the end of the input, a missing bracket is not a
    /// repair.
    pub(crate) fn close(self, at_end: bool, at: u64, sink: &mut FragmentSink<'_>) {
        if self.open && !at_end {
            repaired("the closing bracket of the list was missing", at, sink);
        }
        if let Some(trailing) = self.trailing {
            trailing.close(sink);
        }
    }
}

fn repaired(what: &str, at: u64, sink: &mut FragmentSink<'_>) {
    sink(Fragment::Diagnostic(Diagnostic {
        kind: DiagnosticKind::Repaired,
        content: what.to_owned(),
        at: Some(at),
    }));
}
