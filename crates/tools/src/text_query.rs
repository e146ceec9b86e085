//! The text that a search looks for, and how a line that has it is shown.

use silcrow_exec::ToolError;

/// A text to look for.
pub(crate) struct TextQuery {
    text: String,
    /// The text has no capital, so those of the line do not count.
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

    /// The most bytes that hold the text in a line. In other case characters have other lengths.
    pub(crate) fn longest(&self) -> usize {
        self.text.len() * 4
    }

    /// The line, cut around the first place where it holds the text. There may be more of it before
    /// and after what is given.
    pub(crate) fn excerpt(&self, line: &str, more: (bool, bool)) -> Option<String> {
        let before = if self.any_case {
            let line = line.to_lowercase();
            line[..line.find(&self.text)?].chars().count()
        } else {
            line[..line.find(&self.text)?].chars().count()
        };
        let line = line.trim_end();
        // As much as fits before the text, which is to be seen.
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

/// Bytes of a query.
const MAX_QUERY: usize = 4096;

/// Characters of a line that are shown.
const MAX_SHOWN: usize = 200;

/// Characters shown before the text in a longer line.
const MAX_BEFORE: usize = 50;
