//! The text after the end of an answer, in which a model may have written a call that would be
//! ignored.
//!
//! The model waits for a result, so the run tells it that the call was not read. This module keeps
//! only the beginning of the text.

/// The beginning of the text after an end.
#[derive(Default)]
pub(crate) struct TextAfterEnd(String);

impl TextAfterEnd {
    /// Takes a piece of the text. Blanks before the first character are left out.
    pub(crate) fn push(&mut self, text: &str) {
        let text = if self.0.is_empty() { text.trim_start() } else { text };
        let mut end = MOST.saturating_sub(self.0.len()).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.0.push_str(&text[..end]);
    }

    /// Returns whether the text begins like a call, and more of it would show whether it is one.
    pub(crate) fn may_call(&self) -> bool {
        self.0.starts_with(['§', '<']) && self.0.len() < MOST - char::MAX.len_utf8()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The number of bytes that are kept.
const MOST: usize = 4096;
