//! The last rows of an output, which a cursor can still reach.
//!
//! Rows that scroll off are passed on. Rows are added below, and there is no width: a row that
//! becomes very long is passed on up to the current column, and a carriage return leads back to
//! that place.

use std::collections::VecDeque;

use memchr::{memchr, memrchr_iter};

use super::row::ScreenRow;

/// Rows, and a cursor on them.
#[derive(Debug)]
pub(super) struct OutputScreen {
    /// The rows, at least one.
    pub(super) rows: VecDeque<ScreenRow>,
    pub(super) row: usize,
    /// The column of the cursor; `None` at the end of a row.
    pub(super) column: Option<usize>,
    /// Whether a carriage return came last. It may belong to a line break.
    returned: bool,
    pub(super) saved: (usize, usize),
    /// The rows and the cursor that a screen of a program's own hides.
    pub(super) behind: Option<(VecDeque<ScreenRow>, usize)>,
    /// Whether rows may be empty because the cursor made them, or because they were erased.
    pub(super) is_addressed: bool,
    /// The memory of a text that is passed on.
    buffer: String,
}

impl OutputScreen {
    /// Writes text without escape sequences, carriage returns and backspaces.
    pub(super) fn print(&mut self, text: &str, done: &mut dyn FnMut(&str)) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.returned) {
            match (self.column, self.rows[self.row].text()) {
                (None, Some(row)) if text.starts_with('\n') => row.push('\r'),
                _ => self.move_to_start(),
            }
        }
        let mut rest = self.pass_on_bulk(text, done);
        while let Some(at) = memchr(b'\n', rest.as_bytes()) {
            self.write(&rest[..at], done);
            self.line_break(done);
            rest = &rest[at + 1..];
        }
        self.write(rest, done);
    }

    /// Passes on the lines that the screen will not hold, and returns the rest.
    fn pass_on_bulk<'t>(&mut self, text: &'t str, done: &mut dyn FnMut(&str)) -> &'t str {
        let is_at_end = self.row + 1 == self.rows.len() && self.column.is_none();
        if !is_at_end || text.len() < MOST_ROWS {
            return text;
        }
        let Some(last) = memrchr_iter(b'\n', text.as_bytes()).nth(MOST_ROWS - 1) else {
            return text;
        };
        let (bulk, rest) = text.split_at(last + 1);
        self.pass_on(self.row, done);
        if self.behind.is_none() {
            done(bulk);
        }
        rest
    }

    pub(super) fn carriage_return(&mut self) {
        self.returned = true;
    }

    pub(super) fn backspace(&mut self) {
        self.settle();
        if self.column.is_some() || !self.rows[self.row].is_empty() {
            let column = self.column();
            self.column = Some(column.saturating_sub(1));
        }
    }

    /// Moves to the next row, which may be a new one.
    pub(super) fn line_break(&mut self, done: &mut dyn FnMut(&str)) {
        self.row += 1;
        if self.row < self.rows.len() {
            self.move_to_start();
            return;
        }
        self.column = None;
        let oldest = if self.rows.len() == MOST_ROWS {
            self.row -= 1;
            self.rows.pop_front()
        } else {
            None
        };
        let mut new = ScreenRow::default();
        if let Some(oldest) = oldest {
            self.pass_on_row(&oldest, true, done);
            // Its memory serves again.
            if let ScreenRow::Text(mut text) = oldest {
                text.clear();
                new = ScreenRow::Text(text);
            }
        }
        self.rows.push_back(new);
    }

    /// Carries out a carriage return that no line feed follows.
    pub(super) fn settle(&mut self) {
        if std::mem::take(&mut self.returned) {
            self.move_to_start();
        }
    }

    pub(super) fn move_to_start(&mut self) {
        self.column = if self.rows[self.row].is_empty() { None } else { Some(0) };
    }

    /// Returns the column of the cursor, which stays there.
    pub(super) fn column(&mut self) -> usize {
        let row = &mut self.rows[self.row];
        *self.column.get_or_insert_with(|| row.cells().len())
    }

    /// Writes text without line breaks at the cursor.
    fn write(&mut self, text: &str, done: &mut dyn FnMut(&str)) {
        let mut rest = text;
        while !rest.is_empty() {
            let row = &mut self.rows[self.row];
            if self.column.is_none()
                && let Some(row) = row.text()
            {
                let room = MOST_TEXT.saturating_sub(row.len());
                let (fits, more) = rest.split_at(rest.floor_char_boundary(room));
                row.push_str(fits);
                rest = more;
                if !more.is_empty() {
                    self.pass_on(self.row, done);
                }
                continue;
            }
            if self.is_long() {
                self.pass_on_head(done);
                continue;
            }
            let mut column = self.column();
            let cells = self.rows[self.row].cells();
            let mut chars = rest.chars();
            while cells.len() <= MOST_CELLS
                && let Some(char) = chars.next()
            {
                column = cells.write(column, char);
            }
            self.column = Some(column);
            rest = chars.as_str();
        }
    }

    /// Returns whether the cursor's row is too long to be written over.
    pub(super) fn is_long(&self) -> bool {
        self.rows[self.row].length() > MOST_CELLS
    }

    /// Passes on the head of the cursor's row.
    pub(super) fn pass_on_head(&mut self, done: &mut dyn FnMut(&str)) {
        let row = &mut self.rows[self.row];
        let keep = row.text().map(|text| {
            let cut = text.floor_char_boundary(text.len().saturating_sub(MOST_CELLS / 2));
            text.split_off(cut)
        });
        let column = self.column;
        self.pass_on(self.row, done);
        if let Some(text) = keep {
            self.rows[self.row] = ScreenRow::Text(text);
            self.column = column;
        }
    }

    /// Passes on the rows before one, and the text of that row, where the cursor then begins.
    fn pass_on(&mut self, row: usize, done: &mut dyn FnMut(&str)) {
        for _ in 0..row {
            if let Some(row) = self.rows.pop_front() {
                self.pass_on_row(&row, true, done);
            }
        }
        self.row = self.row.saturating_sub(row);
        let first = std::mem::take(&mut self.rows[0]);
        self.pass_on_row(&first, false, done);
        self.column = None;
    }

    fn pass_on_row(&mut self, row: &ScreenRow, has_end: bool, done: &mut dyn FnMut(&str)) {
        if self.behind.is_some() {
            return;
        }
        self.buffer.clear();
        row.render(&mut self.buffer);
        if has_end {
            self.buffer.push('\n');
        }
        done(&self.buffer);
    }

    /// Passes on all rows, and before them those that a program's own screen hides.
    pub(super) fn flush(&mut self, done: &mut dyn FnMut(&str)) {
        let mut rows = std::mem::take(&mut self.rows);
        while self.is_addressed
            && rows.len() > self.row + 1
            && rows.back().is_some_and(ScreenRow::is_empty)
        {
            rows.pop_back();
        }
        if let Some((mut behind, _)) = self.behind.take() {
            behind.append(&mut rows);
            rows = behind;
        }
        for (row, left) in rows.iter().zip((0..rows.len()).rev()) {
            self.pass_on_row(row, left > 0, done);
        }
        let returned = self.returned;
        *self = Self { returned, ..Self::default() };
    }
}

impl Default for OutputScreen {
    fn default() -> Self {
        Self {
            rows: VecDeque::from([ScreenRow::default()]),
            row: 0,
            column: None,
            returned: false,
            saved: (0, 0),
            behind: None,
            is_addressed: false,
            buffer: String::new(),
        }
    }
}

/// The number of rows of the screen.
pub(super) const MOST_ROWS: usize = 60;

/// The length of the longest row that nothing was written over, in bytes.
const MOST_TEXT: usize = 64 << 10;

/// The number of columns of a row that was written over.
const MOST_CELLS: usize = 1024;
