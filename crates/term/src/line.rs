//! A row of styled text.
//!
//! This module handles text, styles and columns, without Markdown. A [`Line`] has no character that
//! could hide or change something on a screen: pushed text is sanitized.

use std::borrow::Cow;
use std::fmt;

use silcrow_sanitize::{sanitize, sanitize_line, sanitize_prose, sanitize_prose_line};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::columns::columns;
use crate::{Style, Theme};

/// A row of styled text that is safe to show.
///
/// Its text has neither line breaks nor hidden characters: they are replaced by their code points,
/// as [`silcrow_sanitize::sanitize_line`] does, and tabs by spaces up to the next multiple of 4
/// columns.
///
/// `Display` writes the text without its styles.
///
/// ```
/// use silcrow_term::{Line, Style};
///
/// let mut line = Line::new();
/// assert!(line.is_empty());
/// line.push("a name\x1b[2J", Style::PLAIN);
/// assert_eq!(line.text(), r"a name\x1b[2J");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Line {
    text: String,
    runs: Vec<StyleRun>,
}

/// A piece of a [`Line`] in one style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span<'a> {
    /// The text of the piece.
    pub text: &'a str,
    /// The style of the piece.
    pub style: Style,
}

/// A style and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct StyleRun {
    end: usize,
    style: Style,
}

impl Line {
    /// Returns an empty line.
    pub const fn new() -> Self {
        Self { text: String::new(), runs: Vec::new() }
    }

    /// Returns a line of text in one style.
    pub fn styled(text: &str, style: Style) -> Self {
        Self::new().with_text(text, style)
    }

    /// Returns the lines of a text that may have several, each in one style.
    ///
    /// ```
    /// use silcrow_term::{Line, Style};
    ///
    /// let lines = Line::lines("a\tb\r\nc", Style::PLAIN);
    /// assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>(), ["a   b", "c"]);
    /// ```
    pub fn lines(text: &str, style: Style) -> Vec<Self> {
        sanitize(text).lines().map(|line| Self::styled(line, style)).collect()
    }

    /// Returns the lines of a model's prose, each in one style, with its marks of direction kept as
    /// [`silcrow_sanitize::sanitize_prose`] does.
    pub fn prose_lines(text: &str, style: Style) -> Vec<Self> {
        let mut lines = Vec::new();
        for text in sanitize_prose(text).lines() {
            let mut line = Self::new();
            line.push_pieces(text, style, sanitize_prose_line);
            lines.push(line);
        }
        lines
    }

    /// Returns the line with more text at its end.
    #[must_use]
    pub fn with_text(mut self, text: &str, style: Style) -> Self {
        self.push(text, style);
        self
    }

    /// Adds text at the end of the line.
    pub fn push(&mut self, text: &str, style: Style) {
        self.push_pieces(text, style, sanitize_line);
    }

    fn push_pieces(&mut self, text: &str, style: Style, sanitized: fn(&str) -> Cow<'_, str>) {
        let mut pieces = text.split('\t');
        self.push_clean(&sanitized(pieces.next().unwrap_or_default()), style);
        for piece in pieces {
            let spaces = TAB - self.width() % TAB;
            self.push_clean(&"    "[..spaces], style);
            self.push_clean(&sanitized(piece), style);
        }
    }

    /// Adds another line at the end of this one.
    pub fn append(&mut self, line: &Self) {
        line.spans().for_each(|span| self.push_clean(span.text, span.style));
    }

    /// Returns the text without its styles.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the line has no text.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the pieces of the line, each in one style, from left to right. None is empty.
    pub fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        let mut start = 0;
        self.runs.iter().map(move |run| {
            let text = &self.text[start..run.end];
            start = run.end;
            Span { text, style: run.style }
        })
    }

    /// Returns the number of columns that the line takes on a terminal.
    pub fn width(&self) -> usize {
        columns(&self.text)
    }

    /// Returns the line if it fits into `width` columns, and otherwise its beginning and `…`.
    ///
    /// ```
    /// use silcrow_term::{Line, Style};
    ///
    /// let line = Line::styled("reads 12 files", Style::PLAIN);
    /// assert_eq!(line.shortened(8).text(), "reads 1…");
    /// ```
    #[must_use]
    pub fn shortened(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut short = Self::new();
        let mut left = width.saturating_sub(1);
        for span in self.spans() {
            for grapheme in span.text.graphemes(true) {
                let Some(rest) = left.checked_sub(columns(grapheme)) else {
                    short.push_clean(if width == 0 { "" } else { "…" }, span.style);
                    return short;
                };
                left = rest;
                short.push_clean(grapheme, span.style);
            }
        }
        short
    }

    /// Returns the part of the line that a terminal with another line lacks, and the number of columns
    /// before it. All of them have characters of ASCII, whose width no terminal disputes.
    ///
    /// ```
    /// use silcrow_term::{Line, Style};
    ///
    /// let shown = Line::styled("reads 12 files", Style::PLAIN);
    /// let (columns, rest) = Line::styled("reads 120 files", Style::PLAIN).rest_after(&shown);
    /// assert_eq!((columns, rest.text()), (8, "0 files"));
    /// ```
    pub fn rest_after(&self, shown: &Self) -> (usize, Self) {
        let bytes = |line: &Self| line.text.clone().into_bytes();
        let (own, other) = (bytes(self), bytes(shown));
        let mut same = own.iter().zip(&other).take_while(|(a, b)| a == b && a.is_ascii()).count();
        // The next text may belong to the character before it.
        if [&own, &other].iter().any(|bytes| bytes.get(same).is_some_and(|byte| !byte.is_ascii())) {
            same = same.saturating_sub(1);
        }
        let mut start = 0;
        for (run, other) in self.runs.iter().zip(&shown.runs) {
            if run.style != other.style {
                same = same.min(start);
            }
            start = run.end.min(other.end);
            if run.end != other.end {
                same = same.min(start);
                break;
            }
        }
        (same, self.clone().split_off(same))
    }

    /// Returns the line as a terminal reads it, without a line break.
    pub fn to_ansi(&self, theme: &Theme) -> String {
        let mut out = String::with_capacity(self.text.len() + 16 * self.runs.len());
        self.write_ansi(theme, &mut out);
        out
    }

    /// Appends the result of [`to_ansi`](Self::to_ansi) to `out`.
    pub fn write_ansi(&self, theme: &Theme, out: &mut String) {
        self.spans().for_each(|span| theme.write(span.text, span.style, out));
    }

    /// Adds text that was sanitized and has no tabs and line breaks.
    pub(crate) fn push_clean(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        let end = self.text.len();
        match self.runs.last_mut() {
            Some(run) if run.style == style => run.end = end,
            _ => self.runs.push(StyleRun { end, style }),
        }
    }

    /// Removes the spaces at the end.
    pub(crate) fn trim_end(&mut self) {
        let _ = self.split_off(self.text.trim_end_matches(' ').len());
    }

    /// Removes the text from `at` on, and returns it.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        let first = self.runs.partition_point(|run| run.end <= at);
        let mut runs = self.runs.split_off(first);
        if let Some(run) = runs.first()
            && self.runs.last().map_or(0, |run| run.end) < at
        {
            self.runs.push(StyleRun { end: at, style: run.style });
        }
        runs.iter_mut().for_each(|run| run.end -= at);
        Self { text: self.text.split_off(at), runs }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The distance of the columns at which tabs end.
const TAB: usize = 4;
