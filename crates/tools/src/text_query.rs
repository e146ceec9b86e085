//! The text to find in a search, and the excerpt of a line that contains it.
//!
//! This module compares text. It knows neither files nor tools.

use silcrow_exec::ToolError;

/// The text to find.
pub(crate) struct TextQuery {
    text: String,
    /// Whether the text has no capital letters, so that it is found in any case.
    any_case: bool,
}

impl TextQuery {
    pub(crate) fn new(text: String) -> Result<Self, ToolError> {
        if text.is_empty() {
            return Err(ToolError::new("`query` is empty; write the text to look for"));
        }
        if text.contains('\n') {
            return Err(ToolError::new("`query` has a line break; search goes line by line"));
        }
        if text.len() > MAX_QUERY {
            let len = text.len();
            return Err(ToolError::new(format!(
                "`query` has {len} bytes; search for a part of it, of at most {MAX_QUERY}"
            )));
        }
        let any_case = text.to_lowercase() == text;
        Ok(Self { text, any_case })
    }

    /// Returns the most bytes that the text may have in a line. Characters may have other lengths
    /// in other case.
    pub(crate) fn longest(&self) -> usize {
        self.text.len() * 4
    }

    /// Returns the line, cut around the first occurrence of the text, or `None` without one. `more`
    /// says whether the line continues before and after `line`.
    pub(crate) fn excerpt(&self, line: &str, more: (bool, bool)) -> Option<String> {
        let before = if self.any_case {
            let line = line.to_lowercase();
            line[..line.find(&self.text)?].chars().count()
        } else {
            line[..line.find(&self.text)?].chars().count()
        };
        let line = line.trim_end();
        // The start of the line is shown, unless the text would then be cut off.
        let start = if before + self.text.chars().count() <= MAX_SHOWN {
            0
        } else {
            before.saturating_sub(MAX_BEFORE)
        };
        let mut shown = String::from(if start > 0 || more.0 { "…" } else { "" });
        shown.extend(line.chars().skip(start).take(MAX_SHOWN));
        if line.chars().nth(start + MAX_SHOWN).is_some() || more.1 {
            shown.push('…');
        }
        Some(shown)
    }
}

/// The longest query in bytes.
const MAX_QUERY: usize = 4096;

/// The number of characters that are shown of a line.
const MAX_SHOWN: usize = 200;

/// The number of characters that are shown before the text where the start of the line is cut off.
const MAX_BEFORE: usize = 50;
