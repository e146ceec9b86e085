//! The effects of escape sequences: they move the cursor, and erase.
//!
//! Colours, titles, links and modes show no text, so they are ignored.

use super::row::ScreenRow;
use super::screen::{MOST_ROWS, OutputScreen};

impl OutputScreen {
    /// Carries out a control sequence with its first two numbers, which are 0 if they are missing.
    pub(super) fn control(
        &mut self,
        marks: &[u8],
        [first, second]: [u16; 2],
        action: char,
        done: &mut dyn FnMut(&str),
    ) {
        if marks == b"?" && matches!(action, 'h' | 'l') && matches!(first, 47 | 1047 | 1049) {
            self.settle();
            self.own_screen(action == 'h');
            return;
        }
        if !marks.is_empty() || !ACTIONS.contains(action) {
            return;
        }
        self.settle();
        let only_erases = matches!(action, 'J' | 'K') && first != 1;
        if self.is_long() && !only_erases {
            self.pass_on_head(done);
        }
        let number = usize::from(first.max(1));
        match action {
            'A' | 'F' => self.go(self.row.saturating_sub(number), action == 'F'),
            'B' | 'E' | 'e' => self.go(self.row.saturating_add(number), action == 'E'),
            'C' | 'a' => {
                let column = self.column();
                self.set_column(column.saturating_add(number));
            }
            'D' => {
                let column = self.column();
                self.set_column(column.saturating_sub(number));
            }
            'G' | '`' => self.set_column(number - 1),
            'H' | 'f' => {
                self.make_row(number - 1);
                self.set_column(usize::from(second.max(1)) - 1);
            }
            'd' => {
                let column = self.column();
                self.make_row(number - 1);
                self.set_column(column);
            }
            'J' => self.erase_screen(first),
            'K' => self.erase_row(first),
            'L' | 'M' => self.shift_rows(number, action == 'L'),
            'P' | '@' | 'X' => self.shift_columns(number, action),
            's' => self.save(),
            _ => self.restore(),
        }
    }

    /// Carries out a short sequence.
    pub(super) fn escape(&mut self, byte: u8, done: &mut dyn FnMut(&str)) {
        match byte {
            b'7' => self.save(),
            b'8' => self.restore(),
            b'D' | b'E' => {
                self.settle();
                self.line_break(done);
            }
            b'M' => {
                self.settle();
                self.go(self.row.saturating_sub(1), false);
            }
            b'c' => {
                self.erase_screen(2);
                self.go(0, true);
                self.rows.truncate(1);
            }
            _ => {}
        }
    }

    /// Moves to another existing row.
    fn go(&mut self, row: usize, is_to_start: bool) {
        let column = if is_to_start { 0 } else { self.column() };
        self.row = row.min(self.rows.len() - 1);
        self.set_column(column);
    }

    /// Moves to a row, which is made if it is on the screen.
    fn make_row(&mut self, row: usize) {
        let row = row.min(MOST_ROWS - 1);
        if row >= self.rows.len() {
            self.rows.resize_with(row + 1, ScreenRow::default);
            self.is_addressed = true;
        }
        self.row = row;
    }

    fn set_column(&mut self, column: usize) {
        match column {
            0 => self.move_to_start(),
            column => self.column = Some(column.min(MOST_COLUMN.max(self.rows[self.row].length()))),
        }
    }

    fn erase_row(&mut self, how: u16) {
        match (how, self.column) {
            (0, None) => {}
            (0, Some(0)) => {
                self.rows[self.row].clear();
                self.column = None;
            }
            (0, Some(column)) => self.rows[self.row].cells().truncate(column),
            (1, _) => {
                let column = self.column();
                self.rows[self.row].cells().clear(0, column + 1);
            }
            (2, _) => {
                if self.column != Some(0) {
                    self.column();
                }
                self.rows[self.row].clear();
                self.set_column(self.column.unwrap_or(0));
            }
            _ => {}
        }
    }

    fn erase_screen(&mut self, how: u16) {
        match how {
            0 => {
                self.erase_row(0);
                self.rows.truncate(self.row + 1);
            }
            1 => {
                self.rows.iter_mut().take(self.row).for_each(ScreenRow::clear);
                self.erase_row(1);
            }
            2 => {
                self.is_addressed = true;
                self.erase_row(2);
                self.rows.truncate(self.row + 1);
                self.rows.iter_mut().for_each(ScreenRow::clear);
            }
            _ => {}
        }
    }

    /// Inserts empty rows at the cursor, or removes rows. Rows that leave the screen below are
    /// gone.
    fn shift_rows(&mut self, number: usize, is_insertion: bool) {
        let column = self.column();
        let number = number.min(MOST_ROWS - self.row);
        for _ in 0..number {
            match is_insertion {
                true => {
                    self.rows.insert(self.row, ScreenRow::default());
                    self.rows.truncate(MOST_ROWS);
                }
                false => drop(self.rows.remove(self.row)),
            }
        }
        if self.row >= self.rows.len() {
            self.rows.resize_with(self.row + 1, ScreenRow::default);
        }
        self.set_column(column);
    }

    fn shift_columns(&mut self, number: usize, action: char) {
        let column = self.column();
        let cells = self.rows[self.row].cells();
        match action {
            'X' => cells.clear(column, column.saturating_add(number)),
            _ if cells.len() > MOST_COLUMN => {}
            'P' => cells.delete(column, number),
            _ => cells.insert(column, number),
        }
    }

    fn save(&mut self) {
        self.settle();
        self.saved = (self.row, self.column());
    }

    fn restore(&mut self) {
        self.settle();
        let (row, column) = self.saved;
        self.make_row(row);
        self.set_column(column);
    }

    /// Shows a program's own screen, whose rows are gone when it is left, or leaves it.
    fn own_screen(&mut self, is_shown: bool) {
        if is_shown && self.behind.is_none() {
            let rows = std::mem::replace(&mut self.rows, [ScreenRow::default()].into());
            self.behind = Some((rows, self.row));
            (self.row, self.column) = (0, None);
        }
        if !is_shown && let Some((rows, row)) = self.behind.take() {
            (self.rows, self.row) = (rows, row);
            self.column = None;
        }
    }
}

/// The control sequences that do something.
const ACTIONS: &str = "ABCDEFGHJKLMPX@`adefsu";

/// The column that a cursor is moved to at most, and the columns of a row that are moved.
const MOST_COLUMN: usize = 512;
