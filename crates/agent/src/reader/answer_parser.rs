//! The parser of an answer's text: for a dialect, or for answers with a vendor's own calls.

use silcrow_parser::Parser;

use super::native_answer::{AnswerSink, NativeAnswer};

/// The parser of one answer.
pub(super) enum AnswerParser {
    /// Wire text in a dialect.
    Wire(Box<Parser>),
    /// Text and calls of the vendor (P-45).
    Native(NativeAnswer),
}

impl AnswerParser {
    pub(super) fn push(&mut self, text: &str, sink: &mut AnswerSink<'_>) {
        match self {
            Self::Wire(parser) => parser.push(text, sink),
            Self::Native(answer) => answer.push_text(text, sink),
        }
    }

    pub(super) fn finish(self, sink: &mut AnswerSink<'_>) {
        match self {
            Self::Wire(parser) => parser.finish(sink),
            Self::Native(answer) => answer.finish(sink),
        }
    }

    pub(super) fn finish_cut(self, sink: &mut AnswerSink<'_>) {
        match self {
            Self::Wire(parser) => parser.finish_cut(sink),
            Self::Native(answer) => answer.finish_cut(sink),
        }
    }

    /// Returns the position after the end delimiter, if it has come.
    pub(super) fn ended_at(&self) -> Option<u64> {
        match self {
            Self::Wire(parser) => parser.ended_at(),
            Self::Native(_) => None,
        }
    }

    /// Returns whether text may be the model's reasoning (P-36).
    pub(super) fn may_answer_plainly(&self) -> bool {
        match self {
            Self::Wire(parser) => parser.may_answer_plainly(),
            Self::Native(_) => true,
        }
    }

    /// Returns whether the text began in a thought that the prompt had opened (P-38).
    pub(super) fn has_unopened_thought(&self) -> bool {
        match self {
            Self::Wire(parser) => parser.has_unopened_thought(),
            Self::Native(_) => false,
        }
    }
}
