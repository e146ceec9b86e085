//! Text that is wrapped at words, also while it arrives.
//!
//! This module handles columns and the places where a row may be broken: at spaces, and before wide
//! characters such as Chinese ones. A row that was emitted never changes, because only the last
//! word of the text can move to the next row. It does not depend on the meaning of the text.

use silcrow_sanitize::{is_direction_mark, sanitize_prose_line};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::columns::columns;
use crate::{Line, Style};

impl Line {
    /// Returns the line wrapped at words into rows of at most `width` columns.
    ///
    /// Each row after the first begins with `indent` spaces, or fewer if less than half of the
    /// width would be left. A word that is longer than a row is broken between characters as a
    /// reader sees them; only such a character that is wider than a row makes the row wider than
    /// `width`. Spaces at a break are dropped. There is at least one row.
    ///
    /// ```
    /// use silcrow_term::{Line, Style};
    ///
    /// let line = Line::styled("- one two three", Style::PLAIN);
    /// let rows: Vec<_> = line.wrap(9, 2).iter().map(Line::to_string).collect();
    /// assert_eq!(rows, ["- one two", "  three"]);
    /// ```
    pub fn wrap(&self, width: usize, indent: usize) -> Vec<Self> {
        let indent = " ".repeat(indent.min(width / 2));
        let mut rows = Vec::new();
        let mut flow = Flow::new(width, Self::new(), Self::styled(&indent, Style::PLAIN));
        self.spans().for_each(|span| flow.push(span.text, span.style, &mut rows));
        flow.finish(&mut rows);
        rows
    }
}

/// A text that is broken into rows of a width.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    width: usize,
    /// The beginning of each row after the first.
    indent: Line,
    row: Line,
    /// The columns of the row.
    columns: usize,
    /// The length of the row's beginning.
    start: usize,
    /// Spaces that follow the row, unless it is broken there.
    spaces: usize,
    space_style: Style,
    break_at: Option<Break>,
}

/// The last place at which the row may be broken.
#[derive(Debug, Clone, Copy)]
struct Break {
    /// The end of the row, if it is broken there.
    end: usize,
    /// The beginning of the next row: after the spaces.
    next: usize,
}

impl Flow {
    /// Returns a flow whose first row begins with `first` and each other row with `indent`.
    pub(crate) fn new(width: usize, first: Line, indent: Line) -> Self {
        Self {
            width,
            indent,
            columns: first.width(),
            start: first.text().len(),
            row: first,
            spaces: 0,
            space_style: Style::PLAIN,
            break_at: None,
        }
    }

    /// Takes sanitized text, and emits the rows that are complete.
    pub(crate) fn push(&mut self, text: &str, style: Style, rows: &mut Vec<Line>) {
        let mut rest = text;
        while !rest.is_empty() {
            let word = rest.trim_start_matches(' ');
            if word.len() < rest.len() {
                self.spaces += rest.len() - word.len();
                self.space_style = style;
            }
            let (word, more) = word.split_at(word.find(' ').unwrap_or(word.len()));
            self.push_word(word, style, rows);
            rest = more;
        }
    }

    /// Ends the row, as a line break does.
    pub(crate) fn end_row(&mut self, rows: &mut Vec<Line>) {
        self.spaces = 0;
        self.break_at = None;
        self.columns = self.indent.width();
        self.start = self.indent.text().len();
        rows.push(std::mem::replace(&mut self.row, self.indent.clone()));
    }

    /// Returns the columns of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the columns that the row has so far.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the beginning of each row after the first.
    pub(crate) fn indent(&self) -> &Line {
        &self.indent
    }

    /// Returns the beginnings of the row and of each row after it, without text.
    pub(crate) fn into_prefixes(self) -> (Line, Line) {
        (self.row, self.indent)
    }

    /// Continues in another width, with `indent` at the beginning of each later row.
    pub(crate) fn set_width(&mut self, width: usize, indent: Line, rows: &mut Vec<Line>) {
        let mut first = std::mem::take(&mut self.row);
        let text = first.split_off(self.start);
        if first.width() > width / 2 {
            first = indent.clone();
        }
        let (spaces, space_style) = (self.spaces, self.space_style);
        *self = Self::new(width, first, indent);
        text.spans().for_each(|span| self.push(span.text, span.style, rows));
        (self.spaces, self.space_style) = (spaces, space_style);
    }

    /// Emits the last row.
    pub(crate) fn finish(self, rows: &mut Vec<Line>) {
        rows.push(self.row);
    }

    fn push_word(&mut self, word: &str, style: Style, rows: &mut Vec<Line>) {
        if word.is_ascii() {
            if !word.is_empty() && !self.place(word, word.len(), style, rows) {
                self.fill(word, style, rows);
            }
            return;
        }
        for grapheme in word.graphemes(true) {
            let width = grapheme.width();
            if width > 1 && self.spaces == 0 && !grapheme.starts_with(is_closing) {
                self.mark_break(0);
            }
            if !self.place(grapheme, width, style, rows) {
                self.fill(grapheme, style, rows);
            }
        }
    }

    /// Adds a piece of a word to the row, or to the next one with the earlier part of the word.
    /// Returns whether it fits.
    fn place(&mut self, piece: &str, width: usize, style: Style, rows: &mut Vec<Line>) -> bool {
        loop {
            if self.columns + self.spaces + width <= self.width {
                // A mark stays with the space under it, unless it is one of direction.
                self.push_spaces(width > 0 || piece.starts_with(is_direction_mark));
                if width == 0 && self.is_row_empty() {
                    self.fill(piece, style, rows);
                    return true;
                }
                self.row.push_clean(piece, style);
                self.columns += width;
                return true;
            }
            if self.spaces > 0 && !self.is_row_empty() {
                self.end_row(rows);
            } else if let Some(at) = self.break_at.take() {
                let next = self.row.split_off(at.next);
                self.row.split_off(at.end);
                self.end_row(rows);
                next.spans().for_each(|span| self.push(span.text, span.style, rows));
            } else {
                return false;
            }
        }
    }

    /// Adds a piece that is too long for a row, character by character.
    fn fill(&mut self, piece: &str, style: Style, rows: &mut Vec<Line>) {
        self.push_spaces(true);
        // A mark at the beginning of a row would be drawn over nothing.
        let piece = if self.is_row_empty() { &*sanitize_prose_line(piece) } else { piece };
        for grapheme in piece.graphemes(true) {
            let width = columns(grapheme);
            if self.columns + width > self.width && !self.is_row_empty() {
                self.end_row(rows);
            }
            self.row.push_clean(grapheme, style);
            self.columns += width;
        }
        self.break_at = None;
    }

    fn push_spaces(&mut self, is_break: bool) {
        let mut left = std::mem::take(&mut self.spaces);
        if left == 0 {
            return;
        }
        if self.is_row_empty() {
            // Spaces at the beginning of the text indent it.
            left = left.min(self.width.saturating_sub(self.columns + 1));
        } else if is_break {
            self.mark_break(left);
        }
        self.columns += left;
        while left > 0 {
            let some = left.min(SPACES.len());
            self.row.push_clean(&SPACES[..some], self.space_style);
            left -= some;
        }
    }

    fn mark_break(&mut self, spaces: usize) {
        if !self.is_row_empty() {
            let end = self.row.text().len();
            self.break_at = Some(Break { end, next: end + spaces });
        }
    }

    fn is_row_empty(&self) -> bool {
        self.row.text().len() == self.start
    }
}

/// Returns whether a row may not begin with the character.
fn is_closing(char: char) -> bool {
    matches!(
        char,
        '、' | '。'
            | '，'
            | '．'
            | '：'
            | '；'
            | '！'
            | '？'
            | '」'
            | '』'
            | '）'
            | '】'
            | '〉'
            | '》'
    )
}

const SPACES: &str = "                                ";
