use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

use crate::aside::Aside;
use crate::flow::Sink;

/// What stands around call bodies: the brackets and commas of a list, and a code fence (P-8).
#[derive(Debug)]
pub(crate) struct List {
    /// The body stands in a code fence.
    pub(crate) fenced: bool,
    /// Behind the fence's run, on its line, before a bracket.
    in_fence_line: bool,
    /// A bracket opened it, and none closed it.
    open: bool,
    items: u32,
    /// A comma stands behind the last item.
    comma: bool,
    /// What stands behind the closing bracket, or fence.
    behind: Option<Aside>,
}

impl List {
    pub(crate) const fn new() -> Self {
        Self {
            fenced: false,
            in_fence_line: false,
            open: false,
            items: 0,
            comma: false,
            behind: None,
        }
    }

    /// Takes text that stands at `at` of the wire text, and tells of what had to be repaired.
    pub(crate) fn push(&mut self, text: &str, at: u64, sink: &mut Sink<'_>) {
        if let Some(behind) = &mut self.behind {
            behind.push(text, at);
            return;
        }
        if text == "```" && !self.fenced {
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
                '`' => {
                    // The fence closes, with or without the list's bracket.
                    let mut behind = Aside::new(DiagnosticKind::StrayText, self.fenced);
                    behind.push(&text[index..], at);
                    self.behind = Some(behind);
                    return;
                }
                ',' => {
                    if self.comma || self.items == 0 {
                        repaired("a comma without a call before it was dropped", at, sink);
                    }
                    self.comma = true;
                }
                ']' => {
                    if self.comma {
                        repaired("a comma behind the last call was dropped", at, sink);
                    }
                    self.open = false;
                    self.end();
                }
                _ => {}
            }
        }
    }

    /// What comes now stands behind it.
    pub(crate) fn end(&mut self) {
        self.behind = Some(Aside::new(DiagnosticKind::StrayText, self.fenced));
    }

    /// An item begins at `at`: there its comma is missed.
    pub(crate) fn item(&mut self, at: u64, sink: &mut Sink<'_>) {
        if self.items > 0 && !self.comma {
            repaired("a comma between two calls was missing", at, sink);
        }
        self.items += 1;
        self.comma = false;
        self.in_fence_line = false;
    }

    /// The section is over at `at`: by its closing delimiter, or by the end of the input, where a
    /// missing bracket is no repair.
    pub(crate) fn close(self, at_end: bool, at: u64, sink: &mut Sink<'_>) {
        if self.open && !at_end {
            repaired("the closing bracket of the list was missing", at, sink);
        }
        if let Some(behind) = self.behind {
            behind.close(sink);
        }
    }
}

fn repaired(what: &str, at: u64, sink: &mut Sink<'_>) {
    sink(Fragment::Diagnostic(Diagnostic {
        kind: DiagnosticKind::Repaired,
        content: what.to_owned(),
        at,
    }));
}
