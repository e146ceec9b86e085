//! The part of an answer that is being written, as a terminal shows it.

use silcrow_term::{Line, MarkdownStream, Options, Style};

use super::LiveScreen;

/// A part of an answer that is being written: Markdown, whose complete lines are final.
pub(super) struct OpenAnswer {
    markdown: MarkdownStream,
    columns: usize,
}

impl LiveScreen {
    /// Shows an answer of before, at most so many rows of its end.
    pub fn show_answer(&mut self, text: &str, most: usize) {
        let mut answer = OpenAnswer::new(self.columns(), self.signs.is_ascii());
        let mut rows = answer.push(text);
        rows.extend(answer.end());
        let hidden = rows.len().saturating_sub(most);
        rows.drain(..hidden);
        if hidden > 0 {
            let more = format!("{} {hidden} rows", self.signs.more);
            rows.insert(0, Line::styled(&more, Style::PLAIN.dim()));
        }
        self.show_lines(&rows);
        self.last_answer = text.to_owned();
    }
}

impl OpenAnswer {
    /// Begins a part. `ascii` says whether the terminal is one without Unicode.
    pub(super) fn new(columns: usize, ascii: bool) -> Self {
        let mut options = Options::new(columns);
        options.ascii = ascii;
        Self { markdown: MarkdownStream::new(&options), columns }
    }

    /// Takes a piece and returns the lines that are complete.
    pub(super) fn push(&mut self, text: &str) -> Vec<Line> {
        self.markdown.push(text);
        self.markdown.take_done()
    }

    /// Returns the rows that are not complete.
    pub(super) fn rows(&mut self) -> Vec<Line> {
        self.markdown.open().to_vec()
    }

    /// Sets the width of the rows that follow.
    pub(super) fn set_columns(&mut self, columns: usize) {
        if self.columns != columns {
            self.columns = columns;
            self.markdown.set_width(columns);
        }
    }

    /// Ends the part and returns the lines that are left.
    pub(super) fn end(self) -> Vec<Line> {
        let mut lines = self.markdown.finish();
        while lines.last().is_some_and(Line::is_empty) {
            lines.pop();
        }
        lines
    }
}
