//! A row of a screen: text as it was written, until something is written over it.

use super::cells::Cells;

/// A row.
#[derive(Debug)]
pub(super) enum ScreenRow {
    /// The text was not overwritten. It may end with a carriage return, which belongs to the line
    /// break after it.
    Text(String),
    Cells(Cells),
}

impl ScreenRow {
    /// Returns the text, if nothing was written over it.
    pub(super) fn text(&mut self) -> Option<&mut String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Cells(_) => None,
        }
    }

    /// Returns the columns.
    pub(super) fn cells(&mut self) -> &mut Cells {
        if let Self::Text(text) = self {
            *self = Self::Cells(Cells::from_text(text.trim_end_matches('\r')));
        }
        match self {
            Self::Cells(cells) => cells,
            Self::Text(_) => unreachable!("it was made columns"),
        }
    }

    /// Returns whether nothing is in the row.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Cells(cells) => cells.len() == 0,
        }
    }

    /// Removes everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the length, in bytes or in columns.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Cells(cells) => cells.len(),
        }
    }

    /// Appends the text of the row.
    pub(super) fn render(&self, into: &mut String) {
        match self {
            Self::Text(text) => into.push_str(text),
            Self::Cells(cells) => cells.render(into),
        }
    }
}

impl Default for ScreenRow {
    fn default() -> Self {
        Self::Text(String::new())
    }
}
