//! The size of the terminal.

use crate::system::terminal_size;

/// The number of columns and rows of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a terminal has no other measure")]
pub struct TerminalSize {
    /// The number of columns.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
}

impl TerminalSize {
    /// Returns the size of the terminal at standard error, or 80 × 24 if it is unknown.
    pub fn now() -> Self {
        let size = terminal_size();
        let known = |count: u16, other| if count > 0 { count.into() } else { other };
        Self {
            columns: size.map_or(80, |(columns, _)| known(columns, 80)),
            rows: size.map_or(24, |(_, rows)| known(rows, 24)),
        }
    }
}
