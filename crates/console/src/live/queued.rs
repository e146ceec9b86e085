//! Prompts that wait for the end of the run, as rows above the line that is typed.

use silcrow_term::{Line, Style, TextRole};

use super::LiveScreen;

impl LiveScreen {
    /// Queues a prompt for after the run.
    pub(super) fn queue(&mut self) {
        let text = self.draft.take();
        if !text.trim().is_empty() {
            self.queued.push(text);
        }
    }

    /// Takes the last queued prompt back into the line. Returns whether there was one.
    pub(super) fn unqueue(&mut self) -> bool {
        let Some(text) = self.queued.pop() else { return false };
        self.draft.paste(&text);
        true
    }

    /// Removes and returns the prompts that wait for the end of the run.
    pub fn take_queued(&mut self) -> Vec<String> {
        std::mem::take(&mut self.queued)
    }

    /// Returns a row for each queued prompt.
    pub(super) fn queued_rows(&self, columns: usize) -> Vec<Line> {
        let row = |(number, text): (usize, &String)| {
            let label = format!("queued {number} {} ", self.signs.prompt);
            let line = Line::styled(&label, Style::new(TextRole::Accent));
            line.with_text(&text.replace('\n', "\u{23ce}"), Style::PLAIN.dim()).shortened(columns)
        };
        (1..).zip(&self.queued).map(row).collect()
    }
}
