//! The rows of a terminal, with their styles, without text that differs each time.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

use super::steady::{steady, steady_rows};

/// The screen of a terminal.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ScreenRows {
    rows: Vec<Vec<StyledChar>>,
    /// The row and the column of the cursor, from 0.
    pub(super) cursor: (u16, u16),
}

/// A character with the parameters of its style.
pub(super) type StyledChar = (String, String);

impl ScreenRows {
    pub(super) fn empty(rows: u16) -> Self {
        Self { rows: vec![Vec::new(); rows.into()], cursor: (0, 0) }
    }

    pub(super) fn read(screen: &Screen) -> Self {
        let (rows, columns) = screen.size();
        let row = |row: u16| {
            let cells = (0..columns.get()).filter_map(|column| screen.cell(row, column));
            let cells = cells.filter(|cell| !cell.is_wide_continuation());
            let mut chars: Vec<StyledChar> = cells.map(styled).collect();
            while chars.pop_if(|(style, text)| style.is_empty() && text == " ").is_some() {}
            steady(chars)
        };
        let cursor = screen.cursor_position();
        let mut rows: Vec<_> = (0..rows.get()).map(row).collect();
        steady_rows(&mut rows);
        Self { rows, cursor }
    }

    /// Returns the text, for messages.
    pub(super) fn text(&self) -> String {
        let row = |row: &Vec<StyledChar>| row.iter().map(|(_, text)| &**text).collect::<String>();
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n")
    }

    /// Returns the bytes that turn another screen into this one, and the number of rows that they write.
    pub(super) fn since(&self, last: &Self) -> (String, usize) {
        let height = self.rows.len();
        let scrolled = |by: usize| {
            let mut rows = last.rows[by..].to_vec();
            rows.resize(height, Vec::new());
            rows
        };
        let differ = |rows: &[Vec<StyledChar>]| -> Vec<usize> {
            (0..height).filter(|&row| rows[row] != self.rows[row]).collect()
        };
        let (by, changed) = (0..height)
            .map(|by| (by, differ(&scrolled(by))))
            .min_by_key(|(by, changed)| (changed.len(), *by))
            .unwrap_or_default();
        let mut data = String::new();
        if by > 0 {
            let _ = write!(data, "\x1b[{height};1H{}", "\n".repeat(by));
        }
        for &row in &changed {
            let _ = write!(data, "\x1b[{};1H", row + 1);
            let mut style = "";
            for (next, text) in &self.rows[row] {
                if next != style {
                    let _ = write!(data, "\x1b[0{next}m");
                    style = next;
                }
                data.push_str(text);
            }
            data.push_str(if style.is_empty() { "\x1b[K" } else { "\x1b[0m\x1b[K" });
        }
        let _ = write!(data, "\x1b[{};{}H", self.cursor.0 + 1, self.cursor.1 + 1);
        (data, changed.len())
    }
}

/// Returns the parameters of the style of a cell, each after a `;`, and its text.
fn styled(cell: &Cell) -> StyledChar {
    let mut style = String::new();
    let flags = [
        (cell.bold(), 1),
        (cell.dim(), 2),
        (cell.italic(), 3),
        (cell.underline(), 4),
        (cell.inverse(), 7),
    ];
    for (_, number) in flags.into_iter().filter(|(is_set, _)| *is_set) {
        let _ = write!(style, ";{number}");
    }
    for (color, begin) in [(cell.fgcolor(), 38), (cell.bgcolor(), 48)] {
        let written = match color {
            Color::Default => Ok(()),
            Color::Idx(index) => write!(style, ";{begin};5;{index}"),
            Color::Rgb(red, green, blue) => write!(style, ";{begin};2;{red};{green};{blue}"),
        };
        // A string takes all that is written.
        let _ = written;
    }
    let text = if cell.has_contents() { cell.contents() } else { " " };
    (style, text.to_owned())
}
