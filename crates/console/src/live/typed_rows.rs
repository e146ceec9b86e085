//! The rows of a line that is typed while no run works.
//!
//! `edit` writes their text.

use silcrow_term::Line;

use super::LiveScreen;
use crate::size::TerminalSize;

/// Rows at the bottom of a screen, with a cursor in one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "who edits a line writes all of it")]
pub struct TypedRows {
    /// The rows.
    pub rows: Vec<Line>,
    /// The row of the cursor, and the column in it.
    pub cursor: (usize, usize),
}

impl LiveScreen {
    /// Draws the line that is typed, or erases it. Lines that are shown meanwhile are above it.
    ///
    /// ```
    /// use silcrow_console::live::{LiveScreen, LiveTerminal, TerminalSize, TypedRows};
    /// use silcrow_console::options::ConsoleOptions;
    /// use silcrow_term::{Line, Style};
    ///
    /// let size = TerminalSize { columns: 80, rows: 24 };
    /// let terminal = LiveTerminal::new(Vec::new(), move || size);
    /// let mut screen = LiveScreen::new("a-model", terminal, &ConsoleOptions::new());
    /// let rows = vec![Line::styled("> hello", Style::PLAIN)];
    /// screen.draw_typed(Some(TypedRows { rows, cursor: (0, 7) }));
    /// screen.show_line("a line above it");
    /// screen.draw_typed(None);
    /// ```
    pub fn draw_typed(&mut self, typed: Option<TypedRows>) {
        self.typed = typed;
        self.draw();
    }

    /// Returns the size that the terminal has now.
    pub fn size(&self) -> TerminalSize {
        (self.measure)()
    }

    /// Forgets the rows, because another program has had the terminal meanwhile.
    pub fn forget_rows(&mut self) {
        self.area.forget();
    }
}
