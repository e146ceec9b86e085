//! A row of a screen by columns, for writing over other text.
//!
//! A character may take two columns, a tab up to eight, and an accent none.

use unicode_width::UnicodeWidthChar as _;

/// The columns of a row.
#[derive(Debug, Default)]
pub(super) struct Cells(Vec<Cell>);

/// The contents of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cell {
    Blank,
    /// A character, with the accents over it.
    Char(char, Option<Box<str>>),
    /// A column of the wider character before it.
    Covered,
}

impl Cells {
    pub(super) fn from_text(text: &str) -> Self {
        let mut cells = Self::default();
        let mut column = 0;
        for char in text.chars() {
            column = cells.write(column, char);
        }
        cells
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Writes a character at a column, over the text there, and returns the next column.
    pub(super) fn write(&mut self, column: usize, char: char) -> usize {
        let is_at_end = column >= self.0.len();
        let width = match char {
            '\t' => TAB - column % TAB,
            // A control character is text like any other.
            char => char.width().unwrap_or(1),
        };
        match (width, char) {
            (0, mark) => {
                self.mark(column, mark);
                return column;
            }
            // A tab moves over text, and writes nothing.
            (_, '\t') if !is_at_end => return column + width,
            _ => {}
        }
        self.clear(column, column + width);
        let end = column + width;
        if self.0.len() < end {
            self.0.resize(end, Cell::Blank);
        }
        self.0[column] = Cell::Char(char, None);
        self.0[column + 1..end].fill(Cell::Covered);
        end
    }

    /// Makes columns blank, and the rest of a character that is partly in them.
    pub(super) fn clear(&mut self, from: usize, to: usize) {
        let to = to.min(self.0.len());
        if from >= to {
            return;
        }
        let covered = |cells: &[Cell], at: usize| cells.get(at) == Some(&Cell::Covered);
        let mut first = from;
        while first > 0 && covered(&self.0, first) {
            first -= 1;
        }
        let mut last = to;
        while covered(&self.0, last) {
            last += 1;
        }
        self.0[first..last].fill(Cell::Blank);
    }

    /// Removes the text from a column on.
    pub(super) fn truncate(&mut self, column: usize) {
        self.clear(column, self.0.len());
        self.0.truncate(column);
    }

    /// Removes columns, and moves the text after them to the left.
    pub(super) fn delete(&mut self, column: usize, number: usize) {
        self.expand_tabs();
        let end = column.saturating_add(number).min(self.0.len());
        self.clear(column, end);
        self.0.drain(column.min(end)..end);
    }

    /// Inserts blank columns.
    pub(super) fn insert(&mut self, column: usize, number: usize) {
        self.expand_tabs();
        if column < self.0.len() {
            // A wide character that is cut in two is gone.
            if self.0[column] == Cell::Covered {
                self.clear(column, column + 1);
            }
            let number = number.min(MOST_INSERTED);
            self.0.splice(column..column, std::iter::repeat_n(Cell::Blank, number));
        }
    }

    /// Makes tabs blanks, which can be moved.
    fn expand_tabs(&mut self) {
        let mut is_tab = false;
        for cell in &mut self.0 {
            is_tab = matches!(cell, Cell::Char('\t', _)) || (is_tab && *cell == Cell::Covered);
            if is_tab {
                *cell = Cell::Blank;
            }
        }
    }

    /// Adds an accent to the character before a column.
    fn mark(&mut self, column: usize, mark: char) {
        let end = column.min(self.0.len());
        let over = self.0[..end].iter_mut().rev().find(|cell| **cell != Cell::Covered);
        if let Some(Cell::Char(_, marks)) = over {
            let mut all = marks.take().map(String::from).unwrap_or_default();
            // Some texts have hundreds of them.
            if all.len() < MOST_MARKS {
                all.push(mark);
            }
            *marks = Some(all.into());
        }
    }

    /// Appends the text of the row. Blanks at its end that were not written are left out.
    pub(super) fn render(&self, into: &mut String) {
        let end = self.0.iter().rposition(|cell| *cell != Cell::Blank).map_or(0, |at| at + 1);
        for cell in &self.0[..end] {
            match cell {
                Cell::Blank => into.push(' '),
                Cell::Char(char, marks) => {
                    into.push(*char);
                    into.extend(marks.as_deref());
                }
                Cell::Covered => {}
            }
        }
    }
}

/// The distance between two stops of tabs.
const TAB: usize = 8;

/// The number of columns that are inserted at once.
const MOST_INSERTED: usize = 1000;

/// The bytes of accents that one character may have.
const MOST_MARKS: usize = 64;
