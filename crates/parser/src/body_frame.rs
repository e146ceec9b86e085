//! The text around the bodies of calls: the punctuation of a list, a code fence, and stray text.
//!
//! Stray text is before, between or after the items. The frame follows brackets, commas and the
//! fence; other modules read the items.

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

use crate::diagnostic_text::DiagnosticText;
use crate::section_text::FragmentSink;

/// The brackets and commas of a list of calls, a code fence (P-8), and stray text (P-17).
#[derive(Debug)]
pub(crate) struct BodyFrame {
    /// Whether the bodies are in a code fence.
    pub(crate) fenced: bool,
    /// Whether the position is on the line that opens the fence, before a bracket.
    in_fence_line: bool,
    /// Whether a list or an item has begun.
    has_begun: bool,
    /// Whether a list's bracket is open.
    in_list: bool,
    /// Whether an item precedes in this list.
    has_item: bool,
    /// Whether a comma follows the last item.
    has_comma: bool,
    /// The stray text after the last item.
    stray: Option<DiagnosticText>,
    /// Whether all further text is stray, because the body is complete.
    is_complete: bool,
}

impl BodyFrame {
    /// Creates the frame before a body; `fenced` is whether that is in a code fence already.
    pub(crate) const fn new(fenced: bool) -> Self {
        Self {
            fenced,
            in_fence_line: false,
            has_begun: false,
            in_list: false,
            has_item: false,
            has_comma: false,
            stray: None,
            is_complete: false,
        }
    }

    /// Takes text at position `at` of the wire text, and reports repairs.
    pub(crate) fn push(&mut self, text: &str, at: u64, sink: &mut FragmentSink<'_>) {
        if self.is_complete {
            self.push_stray(text, at);
            return;
        }
        if matches!(text, "```" | "~~~") && !self.has_begun && !self.fenced {
            self.fenced = true;
            self.in_fence_line = true;
            return;
        }
        for (index, char) in text.char_indices() {
            let at = at + index as u64;
            match char {
                '\n' if self.in_fence_line => self.in_fence_line = false,
                // Otherwise it begins an item.
                '[' => self.begin_list(at, sink),
                _ if self.in_fence_line => {}
                ']' if self.in_list => self.end_list(at, sink),
                '`' | '~' if self.fenced => self.end_fence(&text[index..=index], at, sink),
                ' ' | '\t' | '\r' | '\n' if self.stray.is_none() => {}
                ',' if self.stray.is_none() => {
                    if self.has_comma || !self.has_item {
                        repaired("a comma without a call before it was dropped", at, sink);
                    }
                    self.has_comma = true;
                }
                _ => self.push_stray(&text[index..index + char.len_utf8()], at),
            }
        }
    }

    /// Ends the body: the following text is stray.
    pub(crate) fn complete(&mut self) {
        self.is_complete = true;
        self.stray = None;
    }

    /// Begins an item at position `at`, where a missing comma is reported.
    pub(crate) fn item(&mut self, at: u64, sink: &mut FragmentSink<'_>) {
        let is_stray = self.end_stray(sink);
        if self.has_item && !self.has_comma && !is_stray {
            repaired("a comma between two calls was missing", at, sink);
        }
        self.in_fence_line = false;
        self.has_begun = true;
        self.has_item = true;
        self.has_comma = false;
    }

    /// Ends the section at position `at`. At the end of the input, a missing bracket is not a
    /// repair.
    pub(crate) fn close(mut self, at_end: bool, at: u64, sink: &mut FragmentSink<'_>) {
        self.end_stray(sink);
        if self.in_list && !at_end {
            repaired(MISSING_BRACKET, at, sink);
        }
    }

    fn begin_list(&mut self, at: u64, sink: &mut FragmentSink<'_>) {
        self.end_stray(sink);
        if self.has_begun {
            repaired("a further list of calls was added to the first one", at, sink);
        }
        self.in_fence_line = false;
        self.has_begun = true;
        self.in_list = true;
        self.has_item = false;
        self.has_comma = false;
    }

    fn end_list(&mut self, at: u64, sink: &mut FragmentSink<'_>) {
        let is_stray = self.end_stray(sink);
        if self.has_comma && !is_stray {
            repaired("a comma after the last call was dropped", at, sink);
        }
        self.in_list = false;
        self.has_comma = false;
    }

    /// Ends the fence, and the list with it. The rest of the run that ends it is dropped with the
    /// stray text.
    fn end_fence(&mut self, tick: &str, at: u64, sink: &mut FragmentSink<'_>) {
        self.end_stray(sink);
        if self.in_list {
            repaired(MISSING_BRACKET, at, sink);
        }
        self.in_list = false;
        self.has_comma = false;
        self.push_stray(tick, at);
        self.fenced = false;
    }

    fn push_stray(&mut self, text: &str, at: u64) {
        let new = DiagnosticText::new(DiagnosticKind::StrayText, self.fenced);
        self.stray.get_or_insert(new).push(text, at);
    }

    /// Reports the stray text. Returns whether there is any.
    fn end_stray(&mut self, sink: &mut FragmentSink<'_>) -> bool {
        self.stray.take().is_some_and(|stray| stray.close(sink))
    }
}

const MISSING_BRACKET: &str = "the closing bracket of the list was missing";

fn repaired(what: &str, at: u64, sink: &mut FragmentSink<'_>) {
    sink(Fragment::Diagnostic(Diagnostic {
        kind: DiagnosticKind::Repaired,
        content: what.to_owned(),
        at: Some(at),
    }));
}
