//! The lines that a session itself says.

use silcrow_console::attend::lock;
use silcrow_term::{Line, Style, TextRole};

use super::ChatSession;

impl ChatSession {
    /// Shows a prompt that was sent before its turn.
    pub(super) fn show_prompt(&self, text: &str) {
        let mut screen = lock(&self.screen);
        let line = Line::styled(screen.prompt_sign(), Style::new(TextRole::Accent));
        let line = line.with_text(&format!(" {}", text.replace('\n', "⏎")), Style::PLAIN);
        screen.show_lines(&[line]);
        screen.draw();
    }

    /// Shows a line.
    pub(super) fn say(&self, line: &str) {
        let mut screen = lock(&self.screen);
        screen.show_line(line);
        screen.draw();
    }

    /// Shows why something did not work.
    pub(super) fn fail(&self, why: &str) {
        let mut screen = lock(&self.screen);
        let line = Line::styled("error", Style::new(TextRole::Failure).bold());
        screen.show_lines(&[line.with_text(&format!(": {why}"), Style::PLAIN)]);
        screen.draw();
    }
}

/// The number of columns of a row in a list.
pub(super) const MOST_COLUMNS: usize = 76;
