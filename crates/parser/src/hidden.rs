//! The delimiters that do not count because they are in a code fence (P-34).

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment};

use crate::section_text::FragmentSink;

/// The delimiters that the fences of one section hide. They are reported after the section.
#[derive(Debug, Default)]
pub(crate) struct HiddenDelimiters(Vec<(u64, &'static str)>);

/// The number of delimiters of a section that are reported.
const MOST: usize = 16;

impl HiddenDelimiters {
    /// Takes a delimiter at position `at` of the wire text.
    pub(crate) fn push(&mut self, literal: &'static str, at: u64) {
        if self.0.len() < MOST {
            self.0.push((at, literal));
        }
    }

    /// Reports them, and begins with none again.
    pub(crate) fn report(&mut self, sink: &mut FragmentSink<'_>) {
        for (at, literal) in self.0.drain(..) {
            sink(Fragment::Diagnostic(Diagnostic {
                kind: DiagnosticKind::HiddenDelimiter,
                content: literal.to_owned(),
                at: Some(at),
            }));
        }
    }
}
