//! Delimiters in the middle of a sentence, which the model mentions and does not mean (P-35).
//!
//! The tag dialects have delimiters that count anywhere. This module looks at the text on both
//! sides of one.
//!
//! ```text
//! text ── within a sentence ──► a thought, or the end ── the sentence continues ──► a mention
//! ```

use silcrow_event::{Fragment, TextKind};

/// A search for the first delimiter that cuts a sentence in two.
#[derive(Default)]
pub(crate) struct MentionSearch {
    /// Whether the last word of the answer so far ends no sentence.
    is_within: bool,
    /// Whether a blank follows that word, or the end of the answer.
    has_blank: bool,
    /// The delimiter after such a text, if nothing of the answer followed it yet.
    cut: Option<MentionedDelimiter>,
    found: Option<MentionedDelimiter>,
}

/// A kind of delimiter that may be mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MentionedDelimiter {
    Thought,
    End,
}

impl MentionSearch {
    /// Returns the delimiter that was found.
    pub(crate) const fn found(&self) -> Option<MentionedDelimiter> {
        self.found
    }

    /// Takes a fragment of the answer.
    pub(crate) fn push(&mut self, fragment: &Fragment<'_>) {
        match fragment {
            Fragment::Text(text) if text.kind == TextKind::Think => {
                self.cut_by(MentionedDelimiter::Thought);
            }
            Fragment::Thought { .. } => self.cut_by(MentionedDelimiter::Thought),
            Fragment::Text(text) => {
                self.continue_with(text.text);
                self.read(text.text);
            }
            Fragment::End => self.cut_by(MentionedDelimiter::End),
            _ => {}
        }
    }

    /// Takes text that follows the end of the answer.
    pub(crate) fn push_after_end(&mut self, text: &str) {
        let body = text.trim_start_matches(' ');
        self.has_blank |= body.len() < text.len();
        match body.is_empty() {
            true => {}
            false if self.has_blank || body.starts_with([',', ')']) => self.continue_with(body),
            false => self.cut = None,
        }
    }

    fn cut_by(&mut self, delimiter: MentionedDelimiter) {
        if self.is_within && self.has_blank {
            self.cut = Some(delimiter);
        }
        (self.is_within, self.has_blank) = (false, false);
    }

    fn continue_with(&mut self, text: &str) {
        let Some(cut) = self.cut.take() else { return };
        let continues = |char: char| char.is_lowercase() || ",;)".contains(char);
        if self.found.is_none() && text.starts_with(continues) {
            self.found = Some(cut);
        }
    }

    fn read(&mut self, text: &str) {
        let body = text.trim_end_matches(' ');
        let Some(last) = body.chars().next_back() else {
            self.has_blank |= !text.is_empty();
            return;
        };
        self.is_within = last.is_alphanumeric() || ",(".contains(last);
        self.has_blank = body.len() < text.len();
    }
}
