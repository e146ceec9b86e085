//! A paragraph or a heading, whose rows are emitted while it grows.
//!
//! This module decides which of its text is settled: that text is in a flow, whose complete rows
//! are emitted, and the rest is parsed again as it grows. The places at which settled text is
//! determined depend on the text alone, so that the rows are the same however the text is cut.

use crate::inline::{InlinePiece, LEAD, write_text};
use crate::settled::settled;
use crate::wrap::Flow;
use crate::{Line, Style, TextRole};

#[derive(Debug, Clone)]
pub(crate) struct Paragraph {
    /// The text with a settled style.
    flow: Flow,
    base: Style,
    /// The text that is not settled, after [`LEAD`].
    source: String,
    /// The beginning of the last line in the source.
    line_start: usize,
    /// Whether text is settled.
    is_begun: bool,
    /// The length of the source at which the settled text is determined next.
    ask_at: usize,
    /// Whether its first line defines the address of a link.
    pub(crate) is_definition: bool,
}

impl Paragraph {
    pub(crate) fn new(flow: Flow) -> Self {
        Self {
            ask_at: long_line(flow.width()),
            flow,
            base: Style::PLAIN,
            source: LEAD.to_owned(),
            line_start: LEAD.len(),
            is_begun: false,
            is_definition: false,
        }
    }

    /// Makes a heading of the paragraph, before any of it was emitted.
    pub(crate) fn set_heading(&mut self, level: usize, rows: &mut Vec<Line>) {
        self.base = Style::new(TextRole::Heading);
        self.flow.push(&"######"[..level], Style::new(TextRole::Sign), rows);
        self.flow.push(" ", Style::PLAIN, rows);
    }

    /// Returns whether a line below may still decide what it is.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_begun
    }

    /// Begins a line of the text.
    pub(crate) fn begin_line(&mut self) {
        if self.source.len() > LEAD.len() {
            self.source.push('\n');
        }
        self.line_start = self.source.len();
    }

    /// Takes more of the line, and emits rows that are settled.
    pub(crate) fn push(&mut self, text: &str, rows: &mut Vec<Line>) {
        let mut rest = self.without_indent(text);
        while let Some(len) = self.next_question(rest) {
            self.source.push_str(&rest[..len]);
            self.settle(rows);
            rest = self.without_indent(&rest[len..]);
        }
        self.source.push_str(rest);
    }

    /// Returns the last line, if it may be the head of a table.
    pub(crate) fn table_head(&self) -> Option<&str> {
        let line = self.source[self.line_start..].trim();
        let is_only_line = !self.is_begun && self.line_start == LEAD.len();
        (line.starts_with('|') || is_only_line && line.contains('|')).then_some(line)
    }

    /// Ends the paragraph before its last line, and returns the beginnings of the row after it, and
    /// of each row after that.
    pub(crate) fn finish_before_table(mut self, rows: &mut Vec<Line>) -> (Line, Line) {
        self.source.truncate(self.line_start);
        if !self.is_begun && self.source.len() == LEAD.len() {
            return self.flow.into_prefixes();
        }
        let indent = self.flow.indent().clone();
        self.finish(rows);
        (indent.clone(), indent)
    }

    /// Emits the rest.
    pub(crate) fn finish(mut self, rows: &mut Vec<Line>) {
        self.flow_up_to(self.source.len(), rows);
        self.flow.finish(rows);
    }

    /// Continues in another width.
    pub(crate) fn set_width(&mut self, width: usize, indent: Line, rows: &mut Vec<Line>) {
        self.flow.set_width(width, indent, rows);
    }

    /// Returns the number of bytes after which the settled text is determined again.
    fn next_question(&self, rest: &str) -> Option<usize> {
        let longest = LONGEST_ROWS * row_bytes(self.flow.width());
        let from = self.ask_at.saturating_sub(self.source.len() + 1);
        let space = rest.as_bytes().get(from..)?.iter().position(|byte| *byte == b' ');
        let room = longest.saturating_sub(self.source.len()).max(1);
        match space.map(|space| from + space + 1) {
            Some(len) if len <= room => Some(len),
            _ if rest.len() >= room => Some(rest.ceil_char_boundary(room)),
            _ => None,
        }
    }

    /// Passes the settled text to the flow.
    fn settle(&mut self, rows: &mut Vec<Line>) {
        let is_too_long = self.source.len() >= LONGEST_ROWS * row_bytes(self.flow.width());
        let is_row = self.source[self.line_start..].starts_with('|');
        let at = settled(&self.source).filter(|at| !is_row || *at < self.line_start);
        let at = match at {
            None if is_too_long => {
                let space = self.source.rfind([' ', '\n']).filter(|at| *at >= LEAD.len());
                Some(space.unwrap_or(self.source.len()))
            }
            at => at,
        };
        if let Some(at) = at {
            self.flow_up_to(at, rows);
            self.flow.push(" ", self.base, rows);
        }
        self.ask_at = (2 * self.source.len()).max(long_line(self.flow.width()));
    }

    /// Passes the first part of the source to the flow, and removes it and the space after it.
    fn flow_up_to(&mut self, at: usize, rows: &mut Vec<Line>) {
        let flow = &mut self.flow;
        write_text(&self.source[..at], self.base, &mut |piece| match piece {
            InlinePiece::Text(text, style) => flow.push(text, style, rows),
            InlinePiece::Break => flow.end_row(rows),
        });
        let rest = self.source[at..].trim_start_matches([' ', '\n']);
        let removed = self.source.len() - rest.len() - LEAD.len();
        self.source.drain(LEAD.len()..LEAD.len() + removed);
        self.line_start = self.line_start.saturating_sub(removed).max(LEAD.len());
        self.is_begun = true;
    }

    fn without_indent<'a>(&self, text: &'a str) -> &'a str {
        if self.source.len() == LEAD.len() { text.trim_start_matches(' ') } else { text }
    }
}

/// Returns the length of a line at which its text is emitted before it is complete.
pub(crate) fn long_line(width: usize) -> usize {
    2 * row_bytes(width)
}

/// Returns the approximate number of bytes of a row.
fn row_bytes(width: usize) -> usize {
    width.clamp(40, 200)
}

/// The number of rows after which the sign of a style that is still open is text.
const LONGEST_ROWS: usize = 12;
