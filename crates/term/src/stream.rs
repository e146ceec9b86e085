//! A Markdown document that arrives in pieces.
//!
//! This module handles characters and lines: it sanitizes the text, expands tabs, and passes
//! complete lines, and long lines in parts, to the document. The open rows are the ones that the
//! end of the text would emit now.

use silcrow_sanitize::Sanitizer;

use crate::Line;
use crate::document::Document;
use crate::paragraph::long_line;
use crate::signs::Signs;

/// A renderer of Markdown that arrives in pieces as lines for a terminal.
///
/// A line that [`take_done`](Self::take_done) returned never changes, so it can be printed. The
/// lines of [`open`](Self::open) follow it on the screen, and are drawn again after the next piece.
/// Both depend on the text alone, and not on its cuts.
///
/// ```
/// use silcrow_term::{MarkdownStream, Options};
///
/// let mut stream = MarkdownStream::new(&Options::new(20));
/// stream.push("One paragraph.\n\nAnother");
/// // The first paragraph is final, and the second one may continue.
/// assert_eq!(stream.take_done()[0].text(), "One paragraph.");
/// assert_eq!(stream.open().last().unwrap().text(), "Another");
/// ```
#[derive(Debug)]
pub struct MarkdownStream {
    width: usize,
    sanitizer: Sanitizer,
    /// Sanitized text of the last piece.
    clean: String,
    /// The line that is not complete, or nothing within a long line.
    line: String,
    /// The number of characters of the line.
    column: usize,
    /// The length of the line at which the next check decides whether it is long.
    ask_at: usize,
    is_long: bool,
    document: Document,
    done: Vec<Line>,
    open: Vec<Line>,
    is_open_current: bool,
}

/// The options of a [`MarkdownStream`].
///
/// ```
/// use silcrow_term::{MarkdownStream, Options};
///
/// let mut options = Options::new(20);
/// options.ascii = true;
/// let mut stream = MarkdownStream::new(&options);
/// stream.push("- bread");
/// assert_eq!(stream.finish()[0].text(), "- bread");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The number of columns of a line, 80 by default.
    pub width: usize,
    /// Whether only ASCII characters show structure, as for a terminal without UTF-8.
    pub ascii: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 80, ascii: false }
    }
}

impl Options {
    /// Returns the default options for a width.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }
}

impl MarkdownStream {
    /// Returns a renderer at the beginning of a document.
    pub fn new(options: &Options) -> Self {
        let width = options.width.max(1);
        let signs = if options.ascii { Signs::ASCII } else { Signs::UNICODE };
        Self {
            width,
            sanitizer: Sanitizer::of_prose(),
            clean: String::new(),
            line: String::new(),
            column: 0,
            ask_at: long_line(width),
            is_long: false,
            document: Document::new(width, signs),
            done: Vec::new(),
            open: Vec::new(),
            is_open_current: true,
        }
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, delta: &str) {
        let mut clean = std::mem::take(&mut self.clean);
        clean.clear();
        self.sanitizer.push(delta, &mut clean);
        self.push_clean(&clean);
        self.clean = clean;
    }

    /// Returns the lines that became final since the last call.
    pub fn take_done(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.done)
    }

    /// Returns the lines that may still change. They follow those that are final.
    pub fn open(&mut self) -> &[Line] {
        if !self.is_open_current {
            self.is_open_current = true;
            self.open.clear();
            let mut document = self.document.without_colours();
            finish(&mut document, &self.line, self.is_long, &mut self.open);
        }
        &self.open
    }

    /// Continues in another width, which final lines do not have.
    pub fn set_width(&mut self, width: usize) {
        self.width = width.max(1);
        self.is_open_current = false;
        self.document.set_width(self.width, &mut self.done);
    }

    /// Ends the text and returns the lines that became final since the last call of
    /// [`take_done`](Self::take_done).
    pub fn finish(mut self) -> Vec<Line> {
        let mut clean = String::new();
        self.sanitizer.finish(&mut clean);
        self.push_clean(&clean);
        // As in the lines that were open.
        let mut document = self.document.without_colours();
        finish(&mut document, &self.line, self.is_long, &mut self.done);
        self.done
    }

    fn push_clean(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            self.is_open_current = false;
            let end = rest.find(['\n', '\t']).unwrap_or(rest.len());
            let (now, later) = rest.split_at(end);
            self.push_part(now);
            let mut chars = later.chars();
            match chars.next() {
                Some('\n') => self.end_line(),
                Some(_) => self.push_part(&"    "[self.column % TAB..]),
                None => {}
            }
            rest = chars.as_str();
        }
    }

    /// Takes a part of a line.
    fn push_part(&mut self, text: &str) {
        self.column += text.chars().count();
        let mut rest = text;
        while !self.is_long && self.line.len() + rest.len() >= self.ask_at {
            let room = self.ask_at.saturating_sub(self.line.len());
            let (now, later) = rest.split_at(rest.ceil_char_boundary(room));
            self.line.push_str(now);
            rest = later;
            self.is_long = self.document.begin_line(&self.line, &mut self.done);
            if self.is_long {
                self.line.clear();
            } else {
                self.ask_at = 2 * self.line.len();
            }
        }
        if self.is_long {
            self.document.continue_line(rest, &mut self.done);
        } else {
            self.line.push_str(rest);
        }
    }

    fn end_line(&mut self) {
        if self.is_long {
            self.document.end_line(&mut self.done);
        } else {
            self.document.push_line(&self.line, &mut self.done);
        }
        self.line.clear();
        self.column = 0;
        self.is_long = false;
        self.ask_at = long_line(self.width);
    }
}

/// Ends a text whose last line is not complete.
fn finish(document: &mut Document, line: &str, is_long: bool, rows: &mut Vec<Line>) {
    if is_long {
        document.end_line(rows);
    } else if !line.is_empty() {
        document.push_line(line, rows);
    }
    document.finish(rows);
}

/// The distance of the columns at which tabs end.
const TAB: usize = 4;
