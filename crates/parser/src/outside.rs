//! Text outside of all sections, in the dialect `action`.
//!
//! This module decides whether such text is the answer. It does not know why a section begins or
//! ends.

use silcrow_event::{Diagnostic, DiagnosticKind, Fragment, TextFragment};

use crate::diagnostic_text::DiagnosticText;
use crate::section::DEFAULT;
use crate::section_text::{FragmentSink, SectionText, is_space};

/// The text outside of all sections (P-21).
///
/// If the turn has neither a call nor an answer, this text is the answer; otherwise each piece of
/// it is a diagnostic. It is pending until that is known. If it becomes longer than 64 KiB, it is
/// emitted as an answer. Since it may become an answer, code fences count in it (P-34).
///
/// ```text
/// Pending ─ a call or an answer ─► Stray
///         ─ more than 64 KiB ────► Answer
/// ```
#[derive(Debug)]
pub(crate) struct OutsideText {
    state: OutsideState,
    /// The position of the current piece in the wire text.
    at: u64,
    /// Whether the turn has a final response.
    answered: bool,
}

#[derive(Debug)]
enum OutsideState {
    /// The pieces so far.
    Pending(PendingPieces),
    /// The text is emitted as an answer.
    Answer,
    /// The turn has a call or an answer, so the current piece becomes a diagnostic.
    Stray(DiagnosticText),
}

/// Pieces joined by line breaks.
#[derive(Debug, Default)]
struct PendingPieces {
    text: String,
    /// The position of each piece in the wire text, and in `text`.
    pieces: Vec<(u64, usize)>,
}

/// The maximal length of the pending text in bytes.
const MAX_PENDING: usize = 64 << 10;

impl OutsideText {
    pub(crate) fn new() -> Self {
        Self { state: OutsideState::Pending(PendingPieces::default()), at: 0, answered: false }
    }

    /// Takes text of a piece at position `at` of the wire text.
    pub(crate) fn push(
        &mut self,
        piece: &mut SectionText,
        text: &str,
        at: u64,
        sink: &mut FragmentSink<'_>,
    ) {
        if !piece.is_open() {
            let content = text.trim_start_matches(is_space);
            if content.is_empty() {
                return;
            }
            self.at = at + (text.len() - content.len()) as u64;
            if let OutsideState::Pending(pending) = &mut self.state {
                pending.begin(self.at);
            }
        }
        piece.push(text, &mut |fragment| self.take(fragment, sink));
    }

    /// Ends a piece. Returns whether it was emitted as an answer.
    pub(crate) fn close(&mut self, mut piece: SectionText, sink: &mut FragmentSink<'_>) -> bool {
        let open = piece.close(&mut |fragment| self.take(fragment, sink));
        match &mut self.state {
            OutsideState::Pending(_) => false,
            OutsideState::Answer => open,
            OutsideState::Stray(stray) => {
                std::mem::replace(stray, STRAY).close(sink);
                false
            }
        }
    }

    /// Makes the text stray, because the turn has a call or an answer.
    pub(crate) fn make_stray(&mut self, sink: &mut FragmentSink<'_>) {
        if let OutsideState::Pending(pending) =
            std::mem::replace(&mut self.state, OutsideState::Stray(STRAY))
        {
            pending.into_diagnostics(sink);
        }
    }

    /// Notes a final response (P-22). Returns whether the turn already had one.
    pub(crate) fn answer(&mut self) -> bool {
        std::mem::replace(&mut self.answered, true)
    }

    /// Ends the turn: the pending text is the answer, which is section number `part`.
    pub(crate) fn finish(&self, part: u32, sink: &mut FragmentSink<'_>) {
        if let OutsideState::Pending(pending) = &self.state
            && !pending.text.is_empty()
        {
            sink(Fragment::Text(TextFragment { kind: DEFAULT, part, text: &pending.text }));
            sink(Fragment::Close { part });
        }
    }

    /// Takes a fragment of the current piece.
    fn take(&mut self, fragment: Fragment<'_>, sink: &mut FragmentSink<'_>) {
        match (&mut self.state, fragment) {
            (OutsideState::Answer, fragment) => sink(fragment),
            (OutsideState::Stray(stray), Fragment::Text(text)) => stray.push(text.text, self.at),
            (OutsideState::Pending(pending), Fragment::Text(text)) => {
                pending.text.push_str(text.text);
                if pending.text.len() > MAX_PENDING {
                    sink(Fragment::Text(TextFragment { text: &pending.text, ..text }));
                    self.state = OutsideState::Answer;
                }
            }
            _ => {}
        }
    }
}

const STRAY: DiagnosticText = DiagnosticText::new(DiagnosticKind::StrayText, false);

impl PendingPieces {
    fn begin(&mut self, at: u64) {
        if !self.pieces.is_empty() {
            self.text.push('\n');
        }
        self.pieces.push((at, self.text.len()));
    }

    fn into_diagnostics(self, sink: &mut FragmentSink<'_>) {
        let mut end = self.text.len();
        let mut diagnostics = Vec::with_capacity(self.pieces.len());
        for &(at, start) in self.pieces.iter().rev() {
            diagnostics.push((at, self.text[start..end].trim_end_matches(is_space)));
            end = start;
        }
        for (at, content) in diagnostics.into_iter().rev() {
            let content = content.to_owned();
            sink(Fragment::Diagnostic(Diagnostic {
                kind: DiagnosticKind::StrayText,
                content,
                at: Some(at),
            }));
        }
    }
}
