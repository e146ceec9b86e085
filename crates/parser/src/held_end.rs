//! An end delimiter in an open code fence, which counts if only white space follows it (P-34).
//!
//! This module limits how long an end is held, whatever it ends.

use silcrow_lex::Delimiter;

use crate::parser::Parser;
use crate::section::Section;
use crate::section_text::{FragmentSink, is_space};

/// An end delimiter that is alone on its line in an open fence, and the white space after it.
#[derive(Debug)]
pub(crate) struct HeldEnd {
    pub(crate) delimiter: Delimiter,
    literal: &'static str,
    /// The position of the literal in the wire text.
    at: u64,
    blanks: String,
}

/// The maximal length of the white space after a held end in bytes.
const MAX_BLANKS: usize = 1 << 10;

impl HeldEnd {
    /// Returns the position after the delimiter.
    pub(crate) fn end(&self) -> u64 {
        self.at + self.literal.len() as u64
    }
}

impl Parser {
    /// Returns whether a delimiter in an open fence is an end that is held.
    pub(crate) fn may_hold(&self, delimiter: Delimiter) -> bool {
        let Section::Text(text) = &self.section else { return false };
        matches!(delimiter, Delimiter::End | Delimiter::RespondEnd) && text.at_line_start()
    }

    /// Holds an end, which becomes text unless only white space follows.
    pub(crate) fn hold(&mut self, delimiter: Delimiter, literal: &'static str) {
        self.lexer.treat_as_text();
        self.held = Some(HeldEnd { delimiter, literal, at: self.at, blanks: String::new() });
        self.at += literal.len() as u64;
    }

    /// Takes text after a held end. Returns the rest of it, if it makes the end text.
    pub(crate) fn extend_held<'a>(
        &mut self,
        text: &'a str,
        sink: &mut FragmentSink<'_>,
    ) -> Option<&'a str> {
        let held = self.held.as_mut()?;
        let rest = text.trim_start_matches(is_space);
        let blanks = &text[..text.len() - rest.len()];
        let room = MAX_BLANKS - held.blanks.len();
        let (blanks, _) = blanks.split_at(blanks.len().min(room + 1));
        held.blanks.push_str(blanks);
        self.at += blanks.len() as u64;
        let rest = &text[blanks.len()..];
        if !rest.is_empty() || blanks.len() > room {
            self.release_held(sink);
        }
        Some(rest)
    }

    /// Makes a held end text.
    pub(crate) fn release_held(&mut self, sink: &mut FragmentSink<'_>) {
        if let Some(held) = self.held.take() {
            self.hide(held.delimiter, held.at);
            self.text(held.literal, held.at, sink);
            if !held.blanks.is_empty() {
                self.text(&held.blanks, held.end(), sink);
            }
        }
    }
}
