//! Text outside of all sections, in the dialect `action`.
//!
//! This module decides whether such text is the answer. Other modules begin and end sections.

use memchr::memchr;
use silcrow_event::{Diagnostic, DiagnosticKind, Fragment, TextFragment, TextKind};
use silcrow_lex::Delimiter;

use crate::blocks::OpenBlocks;
use crate::diagnostic_text::DiagnosticText;
use crate::parser::Parser;
use crate::section::{DEFAULT, Section};
use crate::section_text::{FragmentSink, SectionText, is_space};

/// The text outside of all sections (P-21).
///
/// If the turn has neither a call nor an answer, this text is the answer; otherwise each piece of
/// it is a diagnostic. The text is pending until that is decided. If it becomes longer than 64 KiB,
/// it is emitted as an answer. Since it may become an answer, code fences count in it (P-34), and
/// comments stay in it; a diagnostic leaves comments out.
///
/// ```text
/// Pending ─ a call or an answer ─► Stray
///         ─ more than 64 KiB ────► Answer
/// ```
#[derive(Debug)]
pub(crate) struct OutsideText {
    state: OutsideState,
    /// The position in the wire text of the current part: a piece, up to a comment in it.
    at: u64,
    /// Whether the current part has content.
    has_part: bool,
    in_comment: bool,
    /// Whether the turn has a final response.
    answered: bool,
    /// The elements that are open in the text.
    pub(crate) blocks: OpenBlocks,
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
    /// The position of each part of a piece in the wire text, and in `text`; a comment has only the
    /// second one.
    parts: Vec<(Option<u64>, usize)>,
}

/// The maximal length of the pending text in bytes.
const MAX_PENDING: usize = 64 << 10;

impl OutsideText {
    pub(crate) fn new() -> Self {
        Self {
            state: OutsideState::Pending(PendingPieces::default()),
            at: 0,
            has_part: false,
            in_comment: false,
            answered: false,
            blocks: OpenBlocks::new(),
        }
    }

    /// Takes text of a piece at position `at` of the wire text.
    pub(crate) fn push(
        &mut self,
        piece: &mut SectionText,
        text: &str,
        at: u64,
        sink: &mut FragmentSink<'_>,
    ) {
        let content = if self.has_part { text } else { text.trim_start_matches(is_space) };
        if !self.has_part && !content.is_empty() {
            self.has_part = true;
            self.at = at + (text.len() - content.len()) as u64;
            if let OutsideState::Pending(pending) = &mut self.state {
                pending.begin(Some(self.at), !piece.is_open());
            }
        }
        // A tag in a fence is a part of the code there.
        let mut rest = text;
        while !rest.is_empty() {
            let end = memchr(b'<', &rest.as_bytes()[1..]).map_or(rest.len(), |at| at + 1);
            let (one, others) = rest.split_at(end);
            self.blocks.push(one, !piece.is_in_fence());
            piece.push(one, &mut |fragment| self.take(fragment, sink));
            rest = others;
        }
    }

    /// Begins a comment in a piece.
    pub(crate) fn begin_comment(&mut self, piece: &mut SectionText, sink: &mut FragmentSink<'_>) {
        let is_first = !piece.is_open();
        piece.begin_comment(&mut |fragment| self.take(fragment, sink));
        match &mut self.state {
            OutsideState::Pending(pending) => pending.begin(None, is_first),
            OutsideState::Answer => {}
            OutsideState::Stray(stray) => {
                std::mem::replace(stray, STRAY).close(sink);
            }
        }
        self.in_comment = true;
    }

    /// Takes text of a comment in a piece, with its delimiters.
    pub(crate) fn push_comment(
        &mut self,
        piece: &mut SectionText,
        text: &str,
        sink: &mut FragmentSink<'_>,
    ) {
        piece.push_comment(text, &mut |fragment| self.take(fragment, sink));
    }

    pub(crate) fn end_comment(&mut self) {
        self.in_comment = false;
        self.has_part = false;
    }

    /// Ends a piece. Returns whether it was emitted as an answer.
    pub(crate) fn close(&mut self, mut piece: SectionText, sink: &mut FragmentSink<'_>) -> bool {
        let open = piece.close(&mut |fragment| self.take(fragment, sink));
        self.end_comment();
        self.blocks.end_piece();
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

    /// Returns whether the text is the answer, if nothing else follows it.
    pub(crate) const fn may_answer(&self) -> bool {
        !matches!(self.state, OutsideState::Stray(_))
    }

    /// Returns whether the text may turn out to be a thought.
    pub(crate) const fn may_be_thought(&self) -> bool {
        matches!(self.state, OutsideState::Pending(_)) && !self.in_comment
    }

    /// Makes the text so far a thought, which is section number `part`. Returns whether there is any.
    pub(crate) fn take_thought(&mut self, part: u32, sink: &mut FragmentSink<'_>) -> bool {
        let OutsideState::Pending(pending) = &mut self.state else { return false };
        let pending = std::mem::take(pending);
        if pending.has_content() {
            let (kind, text) = (TextKind::Think, &*pending.text);
            sink(Fragment::Text(TextFragment { kind, part, id: None, text }));
            sink(Fragment::Close { part });
        }
        pending.has_content()
    }

    /// Records a final response (P-22). Returns whether the turn already had one.
    pub(crate) fn answer(&mut self) -> bool {
        std::mem::replace(&mut self.answered, true)
    }

    /// Ends the turn: the pending text is the answer, which is section number `part`.
    pub(crate) fn finish(&self, part: u32, sink: &mut FragmentSink<'_>) {
        if let OutsideState::Pending(pending) = &self.state
            && pending.has_content()
        {
            sink(Fragment::Text(TextFragment {
                kind: DEFAULT,
                part,
                id: None,
                text: &pending.text,
            }));
            sink(Fragment::Close { part });
        }
    }

    /// Takes a fragment of the current piece.
    fn take(&mut self, fragment: Fragment<'_>, sink: &mut FragmentSink<'_>) {
        match (&mut self.state, fragment) {
            (OutsideState::Answer, fragment) => sink(fragment),
            (OutsideState::Stray(_), _) if self.in_comment => {}
            (OutsideState::Stray(stray), Fragment::Text(TextFragment { text, .. })) => {
                // The position of the content.
                let is_first = stray.is_empty();
                let text = if is_first { text.trim_start_matches(is_space) } else { text };
                stray.push(text, self.at);
            }
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

impl Parser {
    /// Begins or ends a comment, which is a part of the text outside of all sections.
    pub(crate) fn comment(&mut self, delimiter: Delimiter, sink: &mut FragmentSink<'_>) {
        let literal = self.options.dialect.literal(delimiter);
        self.section = match std::mem::replace(&mut self.section, Section::Done) {
            Section::Outside(mut piece) => {
                self.outside.begin_comment(&mut piece, sink);
                self.outside.push_comment(&mut piece, literal, sink);
                Section::Comment(piece)
            }
            Section::Comment(mut piece) => {
                self.outside.push_comment(&mut piece, literal, sink);
                self.outside.end_comment();
                Section::Outside(piece)
            }
            section => section,
        };
    }
}

impl PendingPieces {
    /// Begins a part at position `at` of the wire text, or a comment; `is_first` is whether a piece
    /// begins with it.
    fn begin(&mut self, at: Option<u64>, is_first: bool) {
        if is_first && !self.parts.is_empty() {
            self.text.push('\n');
        }
        self.parts.push((at, self.text.len()));
    }

    /// Returns whether there is more than comments.
    fn has_content(&self) -> bool {
        self.parts.iter().any(|(at, _)| at.is_some())
    }

    fn into_diagnostics(self, sink: &mut FragmentSink<'_>) {
        let ends = self.parts.iter().skip(1).map(|&(_, start)| start).chain([self.text.len()]);
        for (&(at, start), end) in self.parts.iter().zip(ends) {
            if at.is_some() {
                let content = self.text[start..end].trim_matches(is_space).to_owned();
                let kind = DiagnosticKind::StrayText;
                sink(Fragment::Diagnostic(Diagnostic { kind, content, at }));
            }
        }
    }
}
