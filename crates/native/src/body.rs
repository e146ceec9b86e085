//! Types and functions that all readers of bodies share.
//!
//! A reader takes a body character by character from the mark that opens it. Until it is certain
//! that a call follows, the caller keeps the text, and reads it in another way if the reader
//! refuses it.

use crate::call_sink::{CallSink, Emit};
use crate::tool_schemas::ToolSchemas;

/// The result of a reader after a character.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BodyStep {
    /// It needs more text.
    More,
    /// It is a call from here on, be it well-formed or not.
    Commit,
    /// The body ended with this character.
    Done,
    /// The body ended before this text.
    Leave(String),
    /// It is not a call.
    Refuted,
}

/// The state that a reader works with.
pub(crate) struct BodyContext<'c, 'e> {
    pub(crate) sink: &'c mut CallSink,
    pub(crate) tools: Option<&'c ToolSchemas>,
    pub(crate) emit: &'c mut Emit<'e>,
    /// Whether it is certain that a call follows.
    pub(crate) is_committed: bool,
}

/// A beginning of one of several marks, which may turn out to be other text.
#[derive(Debug, Default)]
pub(crate) struct MarkHold {
    pub(crate) text: String,
}

/// The meaning of a character after the pending text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HoldStep {
    /// Nothing is pending, and the character begins no mark.
    Other,
    /// The character is kept.
    Kept,
    /// A mark is complete: the one with this number. Its text is pending.
    Mark(usize),
    /// The pending text cannot begin a mark any more. It is still pending.
    Broken,
}

impl MarkHold {
    /// Takes a character. If one mark begins with another, the shorter one counts.
    pub(crate) fn push(&mut self, character: char, marks: &[&'static str]) -> HoldStep {
        let before = self.text.len();
        if before == 0 && !marks.iter().any(|mark| mark.starts_with(character)) {
            return HoldStep::Other;
        }
        self.text.push(character);
        if let Some(found) = marks.iter().position(|mark| *mark == self.text) {
            HoldStep::Mark(found)
        } else if marks.iter().any(|mark| mark.starts_with(self.text.as_str())) {
            HoldStep::Kept
        } else {
            HoldStep::Broken
        }
    }
}

/// The reason of a call that the end of the text cut off.
pub(crate) const CUT: &str = "the call was cut off before its end; write it again, in full";

/// The reason of a call that another mark ended.
pub(crate) const UNFINISHED: &str = "the call ended before its arguments did; write it again";
