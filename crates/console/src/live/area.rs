//! The rows at the bottom of a terminal that change, and the lines above them that never do.
//!
//! What is complete is written once and scrolls away as any other output. Below it are rows that are
//! erased and drawn again. This module knows how many rows of the terminal they take. It does not
//! know what they say.

use std::io::{self, Write};

use silcrow_term::{Line, Theme};

use crate::size::TerminalSize;

/// The rows at the bottom of a terminal.
pub(super) struct LiveArea {
    out: Box<dyn Write + Send>,
    theme: Theme,
    /// The rows as they are on the screen.
    drawn: Vec<Line>,
    /// Where the cursor is: the row, and the column in it. Otherwise it is at the end of the last row.
    cursor: Option<(usize, usize)>,
}

impl LiveArea {
    pub(super) fn new(out: Box<dyn Write + Send>, theme: Theme) -> Self {
        Self { out, theme, drawn: Vec::new(), cursor: None }
    }

    /// Writes lines that are complete above the rows, and draws the rows again if they differ.
    ///
    /// Each row is cut to the width of the terminal, because a row that the terminal wraps could not
    /// be erased. If there are more rows than the terminal has, the first ones are left out. The cursor
    /// is at a row and a column, or at the end.
    pub(super) fn update(
        &mut self,
        done: &[String],
        rows: &[Line],
        cursor: Option<(usize, usize)>,
        size: TerminalSize,
    ) -> io::Result<()> {
        let hidden = rows.len().saturating_sub(size.rows.saturating_sub(1).max(1));
        // Text in the last column makes some terminals wrap.
        let width = size.columns.saturating_sub(1).max(1);
        let rows: Vec<_> = rows[hidden..].iter().map(|row| row.shortened(width)).collect();
        let cursor = cursor.map(|(row, column)| (row.saturating_sub(hidden), column.min(width)));
        if done.is_empty() && rows == self.drawn && cursor == self.cursor {
            return Ok(());
        }
        let mut text = String::from(BEGIN_UPDATE);
        self.erase(size, &mut text);
        for line in done {
            text.push_str(line);
            text.push_str("\r\n");
        }
        for (index, row) in rows.iter().enumerate() {
            text.push_str(if index > 0 { "\r\n" } else { "" });
            row.write_ansi(&self.theme, &mut text);
        }
        self.cursor = cursor.filter(|(row, _)| *row < rows.len());
        if let Some((row, column)) = self.cursor {
            move_by(rows.len() - 1 - row, 'A', &mut text);
            text.push('\r');
            move_by(column, 'C', &mut text);
        }
        text.push_str(END_UPDATE);
        self.drawn = rows;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Writes a sequence that changes no row.
    pub(super) fn write(&mut self, sequence: &str) {
        if !sequence.is_empty() {
            // A terminal that is gone ends the process by a signal.
            let _ = self.out.write_all(sequence.as_bytes()).and_then(|()| self.out.flush());
        }
    }

    /// Forgets the rows, because the screen no longer shows them at its end.
    pub(super) fn forget(&mut self) {
        self.drawn.clear();
        self.cursor = None;
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
            // What is below the cursor may be wrapped, too.
            let within = taken(&self.drawn[row]).saturating_sub(1 + column / columns);
            let below: usize = self.drawn[row + 1..].iter().map(taken).sum();
            move_by(below + within, 'B', text);
        }
        text.push('\r');
        move_by(all - 1, 'A', text);
        text.push_str("\x1b[J");
    }
}

/// Moves the cursor, unless it is there.
fn move_by(count: usize, direction: char, text: &mut String) {
    if count > 0 {
        text.push_str(&format!("\x1b[{count}{direction}"));
    }
}

/// Terminals that know this sequence show what follows at once; others ignore it.
const BEGIN_UPDATE: &str = "\x1b[?2026h";

const END_UPDATE: &str = "\x1b[?2026l";

#[cfg(test)]
mod tests;
