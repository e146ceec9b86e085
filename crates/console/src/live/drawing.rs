//! Draws a live screen at once, or as soon as the terminal has taken the previous drawing.

use silcrow_term::{Line, Style};

use super::LiveScreen;
use super::done_line::DoneLine;
use super::picker::RowPicker;
use super::question::ShownQuestion;
use super::section::{OpenText, ShownSection};

impl LiveScreen {
    /// Draws changes, about 20 times a second, unless the terminal still takes the previous
    /// drawing.
    pub(crate) fn draw_frame(&mut self) {
        if self.area.is_settled() {
            self.draw_now();
        }
    }

    /// Draws changes, and waits until the terminal has them.
    pub fn draw(&mut self) {
        self.area.settle();
        self.draw_now();
        self.area.settle();
    }

    /// Waits until the terminal has the last drawing, because something else is to be written.
    pub(crate) fn settle(&self) {
        self.area.settle();
    }

    /// Draws changes, and does not wait.
    pub(super) fn draw_now(&mut self) {
        self.size = (self.measure)();
        let columns = self.columns();
        if let Some(ShownSection { text: OpenText::Answer(answer), .. }) = &mut self.open {
            answer.set_columns(columns);
        }
        if self.question.as_ref().is_some_and(ShownQuestion::is_taken_back) {
            self.question = None;
            let line = Line::styled("the question was taken back", Style::PLAIN);
            self.done.push(DoneLine::Row(line));
        }
        let rows = self.rows();
        // While a question is read, nothing pushes it away.
        let done =
            if self.question.is_some() { Vec::new() } else { std::mem::take(&mut self.done) };
        let cursor = self.typed.as_ref().filter(|_| self.is_over).map(|typed| typed.cursor);
        self.area.update(&done, &rows, cursor, self.size);
    }

    /// Draws a list to pick from, or erases it.
    pub fn draw_picker(&mut self, picker: Option<&RowPicker>) {
        self.size = (self.measure)();
        let (columns, most) = (self.columns(), self.size.rows.saturating_sub(1));
        let rows = picker.map(|picker| picker.lines(&self.signs, columns, most));
        let done = std::mem::take(&mut self.done);
        self.area.update(&done, &rows.unwrap_or_default(), None, self.size);
        self.area.settle();
    }
}
