//! The rows at the bottom of a terminal that change, and the lines above them that never do.
//!
//! Complete lines are written once and scroll away as any other output. Below them are rows that
//! are erased and drawn again. This module tracks how many rows of the terminal they take.

mod row_changes;

use silcrow_term::{Line, Theme};

use super::done_line::DoneLine;
use super::frame_output::FrameOutput;
use crate::size::TerminalSize;
use row_changes::{change_rows, move_to};

/// The rows at the bottom of a terminal.
pub(super) struct LiveArea {
    out: FrameOutput,
    theme: Theme,
    /// The rows as they are on the screen.
    drawn: Vec<Line>,
    /// The position of the cursor: the row, and the column in it. Otherwise it is at the end of the
    /// last row.
    cursor: Option<(usize, usize)>,
    /// The size of the terminal when the rows were drawn.
    size: Option<TerminalSize>,
}

impl LiveArea {
    pub(super) const fn new(out: FrameOutput, theme: Theme) -> Self {
        Self { out, theme, drawn: Vec::new(), cursor: None, size: None }
    }

    /// Writes lines that are complete above the rows, and changes the rows that differ.
    ///
    /// Each row is cut to the width of the terminal, because a row that the terminal wraps could not
    /// be erased. If there are more rows than the terminal has, the first ones are left out. The cursor
    /// is at a row and a column, or at the end.
    pub(super) fn update(
        &mut self,
        done: &[DoneLine],
        rows: &[Line],
        cursor: Option<(usize, usize)>,
        size: TerminalSize,
    ) {
        let hidden = rows.len().saturating_sub(size.rows.saturating_sub(1).max(1));
        // Text in the last column makes some terminals wrap.
        let width = size.columns.saturating_sub(1).max(1);
        let rows: Vec<_> = rows[hidden..].iter().map(|row| row.shortened(width)).collect();
        let cursor = cursor.map(|(row, column)| (row.saturating_sub(hidden), column.min(width)));
        let cursor = cursor.filter(|(row, _)| *row < rows.len());
        if done.is_empty() && rows == self.drawn && cursor == self.cursor {
            return;
        }
        let mut text = String::from(BEGIN_UPDATE);
        let known: Option<Vec<_>> = done.iter().map(|line| fitting(line, width)).collect();
        match known {
            Some(known) if self.size == Some(size) => self.change(&known, &rows, cursor, &mut text),
            // The rows may be wrapped by now, and the lines will be.
            _ => self.write_anew(done, &rows, cursor, size, &mut text),
        }
        text.push_str(END_UPDATE);
        (self.drawn, self.cursor, self.size) = (rows, cursor, Some(size));
        self.out.write(&text);
    }

    /// Appends the sequences that change the rows to lines that are complete, and other rows below
    /// them.
    fn change(
        &self,
        done: &[&Line],
        rows: &[Line],
        cursor: Option<(usize, usize)>,
        text: &mut String,
    ) {
        let empty = [Line::new()];
        let (old, new) = (or(&self.drawn, &empty), or(rows, &empty));
        let all: Vec<_> = done.iter().copied().chain(new).collect();
        let at = self.cursor.map_or(old.len() - 1, |(row, _)| row);
        let (mut at, is_at_end) = change_rows(old, &all, at, &self.theme, text);
        let last = new.len() - 1;
        let (row, column) = cursor.unwrap_or_else(|| (last, new[last].width()));
        let row = done.len() + row;
        if cursor.is_some() || !is_at_end || at != row {
            move_to(row, &mut at, text);
            move_by(column, 'C', text);
        }
    }

    /// Appends the sequences that erase the rows, and write lines that are complete and other rows
    /// below them.
    fn write_anew(
        &self,
        done: &[DoneLine],
        rows: &[Line],
        cursor: Option<(usize, usize)>,
        size: TerminalSize,
        text: &mut String,
    ) {
        self.erase(size, text);
        for line in done {
            match line {
                DoneLine::Row(line) => line.write_ansi(&self.theme, text),
                DoneLine::Written(line) => text.push_str(line),
            }
            text.push_str("\r\n");
        }
        for (index, row) in rows.iter().enumerate() {
            text.push_str(if index > 0 { "\r\n" } else { "" });
            row.write_ansi(&self.theme, text);
        }
        if let Some((row, column)) = cursor {
            move_to(row, &mut (rows.len() - 1), text);
            move_by(column, 'C', text);
        }
    }

    /// Writes a sequence that changes no row.
    pub(super) fn write(&self, sequence: &str) {
        if !sequence.is_empty() {
            self.out.write(sequence);
        }
    }

    /// Returns whether the terminal has all output.
    pub(super) fn is_settled(&self) -> bool {
        self.out.is_settled()
    }

    /// Waits until the terminal has all output.
    pub(super) fn settle(&self) {
        self.out.settle();
    }

    /// Forgets the rows, because the screen no longer shows them at its end.
    pub(super) fn forget(&mut self) {
        self.drawn.clear();
        (self.cursor, self.size) = (None, None);
    }

    /// Erases the rows as the terminal has them by now: it wraps rows that are wider than it.
    fn erase(&self, size: TerminalSize, text: &mut String) {
        let columns = size.columns.max(1);
        let taken = |row: &Line| row.width().div_ceil(columns).max(1);
        let all: usize = self.drawn.iter().map(taken).sum();
        if all == 0 {
            return;
        }
        if let Some((row, column)) = self.cursor {
            // Rows below the cursor may be wrapped, too.
            let within = taken(&self.drawn[row]).saturating_sub(1 + column / columns);
            let below: usize = self.drawn[row + 1..].iter().map(taken).sum();
            move_by(below + within, 'B', text);
        }
        text.push('\r');
        move_by(all - 1, 'A', text);
        text.push_str("\x1b[J");
    }
}

/// Returns the rows, or an empty one: without rows, the cursor is in such a row.
const fn or<'a>(rows: &'a [Line], empty: &'a [Line]) -> &'a [Line] {
    if rows.is_empty() { empty } else { rows }
}

/// Returns a line that has its place in so many columns.
fn fitting(line: &DoneLine, width: usize) -> Option<&Line> {
    match line {
        DoneLine::Row(line) if line.width() <= width => Some(line),
        DoneLine::Row(_) | DoneLine::Written(_) => None,
    }
}

/// Moves the cursor, unless it is there.
fn move_by(count: usize, direction: char, text: &mut String) {
    if count > 0 {
        text.push_str(&format!("\x1b[{count}{direction}"));
    }
}

/// Terminals that support this sequence show the following output at once; others ignore it.
const BEGIN_UPDATE: &str = "\x1b[?2026h";

const END_UPDATE: &str = "\x1b[?2026l";

#[cfg(test)]
mod tests;
