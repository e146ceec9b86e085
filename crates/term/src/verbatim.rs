//! Lines that are shown as they are: code and HTML.
//!
//! This module turns a line of code into rows: it is never shortened, and only the signs of the
//! containers around it precede it, so that it can be copied. A long line may be emitted before it
//! is complete; then it has no syntax colours.

use std::borrow::Cow;

use silcrow_sanitize::{is_direction_mark, sanitize_line};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::columns::columns;
use crate::highlight::Highlighter;
use crate::scan::{CODE_INDENT, CodeFence, HtmlEnd, indent};
use crate::signs::Signs;
use crate::wrap::Flow;
use crate::{Line, Style, TextRole};

/// A block of code or HTML.
#[derive(Debug)]
pub(crate) struct Verbatim {
    end: VerbatimEnd,
    /// The beginning of the next row.
    first: Line,
    /// The beginning of each row after it.
    rest: Line,
    highlighter: Option<Highlighter>,
    /// Blank lines of indented code, which belong to it if more code follows.
    blanks: usize,
    /// The beginning of a long line.
    long: Option<CodeRow>,
    /// The part of it that is not in a row. Rows take pieces of one length, wherever the text was
    /// cut.
    part: String,
}

/// The condition that ends a block.
#[derive(Debug, Clone, Copy)]
pub(crate) enum VerbatimEnd {
    Fence(CodeFence),
    /// A line that is not indented.
    Indent,
    Html(HtmlEnd),
}

/// The effect of a line on a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VerbatimLine {
    Taken,
    /// The block has the line and ends with it.
    Last,
    /// The block ended before the line.
    NotTaken,
}

impl Verbatim {
    /// Returns a block whose first row begins with `first`, and each other row with `rest`.
    pub(crate) fn new(end: VerbatimEnd, first: Line, rest: Line) -> Self {
        Self { end, first, rest, highlighter: None, blanks: 0, long: None, part: String::new() }
    }

    /// Emits the row above a fenced block, which names its language.
    pub(crate) fn begin_fence(
        &mut self,
        info: &str,
        width: usize,
        signs: &Signs,
        rows: &mut Vec<Line>,
    ) {
        self.highlighter = Highlighter::new(info);
        let sign = Style::new(TextRole::Sign);
        let mut flow = Flow::new(width, self.prefix(), self.rest.clone());
        if !info.is_empty() {
            flow.push(&signs.rule.repeat(2), sign, rows);
            flow.push(" ", sign, rows);
            flow.push(info, sign, rows);
            flow.push(" ", sign, rows);
        }
        let end = width.min(LONGEST_RULE);
        let left = end.saturating_sub(flow.columns() + usize::from(!info.is_empty()));
        flow.push(&signs.rule.repeat(left), sign, rows);
        flow.finish(rows);
    }

    /// Takes a complete line that all containers of the block have, and emits its rows.
    pub(crate) fn push_line(
        &mut self,
        line: &str,
        width: usize,
        signs: &Signs,
        rows: &mut Vec<Line>,
    ) -> VerbatimLine {
        match self.end {
            VerbatimEnd::Fence(fence) if fence.is_closed_by(line) => {
                self.finish(width, signs, rows);
                return VerbatimLine::Last;
            }
            VerbatimEnd::Indent if line.is_empty() => self.blanks += 1,
            VerbatimEnd::Indent if indent(line) < CODE_INDENT => return VerbatimLine::NotTaken,
            VerbatimEnd::Html(HtmlEnd::BlankLine) if line.is_empty() => {
                return VerbatimLine::NotTaken;
            }
            VerbatimEnd::Html(HtmlEnd::Text(text)) if line.contains(text) => {
                self.push_code(line, width, signs, rows);
                return VerbatimLine::Last;
            }
            VerbatimEnd::Fence(fence) => self.push_code(fence.unindent(line), width, signs, rows),
            VerbatimEnd::Indent | VerbatimEnd::Html(_) => {
                for _ in 0..std::mem::take(&mut self.blanks) {
                    self.push_code("", width, signs, rows);
                }
                self.push_code(line, width, signs, rows);
            }
        }
        VerbatimLine::Taken
    }

    /// Takes a part of a line that is too long to wait for its end, and emits complete rows.
    pub(crate) fn push_part(
        &mut self,
        text: &str,
        width: usize,
        signs: &Signs,
        rows: &mut Vec<Line>,
    ) {
        let mut row = self.long.take().unwrap_or_else(|| CodeRow::new(self.prefix()));
        self.part.push_str(text);
        while self.part.len() >= PART {
            let rest = self.part.split_off(self.part.floor_char_boundary(PART));
            row.push(&self.part, CODE, (width, signs, &self.rest), rows);
            self.part = rest;
        }
        self.long = Some(row);
    }

    /// Ends a line whose beginning was already taken.
    pub(crate) fn end_line(&mut self, width: usize, signs: &Signs, rows: &mut Vec<Line>) {
        if let Some(mut row) = self.long.take() {
            row.push(&self.part, CODE, (width, signs, &self.rest), rows);
            self.part.clear();
            rows.push(row.row);
        }
    }

    /// Emits the row below a fenced block.
    pub(crate) fn finish(&mut self, width: usize, signs: &Signs, rows: &mut Vec<Line>) {
        self.end_line(width, signs, rows);
        if let VerbatimEnd::Fence(_) = self.end {
            let mut row = self.prefix();
            let left = width.min(LONGEST_RULE).saturating_sub(row.width());
            row.push_clean(&signs.rule.repeat(left), Style::new(TextRole::Sign));
            rows.push(row);
        }
    }

    /// Returns the state for showing later lines, without their syntax colours.
    pub(crate) fn without_colours(&self) -> Self {
        Self {
            end: self.end,
            first: self.first.clone(),
            rest: self.rest.clone(),
            highlighter: None,
            blanks: self.blanks,
            long: self.long.clone(),
            part: self.part.clone(),
        }
    }

    /// Continues with other signs of the containers, because the width has changed.
    pub(crate) fn set_prefix(&mut self, rest: Line) {
        self.first = rest.clone();
        self.rest = rest;
    }

    fn push_code(&mut self, line: &str, width: usize, signs: &Signs, rows: &mut Vec<Line>) {
        let mut row = CodeRow::new(self.prefix());
        let room = (width, signs, &self.rest);
        match &mut self.highlighter {
            Some(highlighter) => {
                highlighter.push_line(line, &mut |text, style| row.push(text, style, room, rows));
            }
            None => row.push(line, CODE, room, rows),
        }
        if line.is_empty() {
            row.row.trim_end();
        }
        rows.push(row.row);
    }

    fn prefix(&mut self) -> Line {
        std::mem::replace(&mut self.first, self.rest.clone())
    }
}

/// A row of code, which is broken wherever it is full.
#[derive(Debug, Clone)]
struct CodeRow {
    row: Line,
    columns: usize,
    /// The length of the row's beginning.
    start: usize,
}

impl CodeRow {
    fn new(prefix: Line) -> Self {
        Self { columns: prefix.width(), start: prefix.text().len(), row: prefix }
    }

    fn push(
        &mut self,
        text: &str,
        style: Style,
        (width, signs, rest): (usize, &Signs, &Line),
        rows: &mut Vec<Line>,
    ) {
        // A mark at the beginning of a row would be drawn over nothing.
        let clean = if self.is_empty() { sanitize_line(text) } else { escaped(text) };
        let all = columns(&clean);
        if self.columns + all <= width {
            self.row.push_clean(&clean, style);
            self.columns += all;
            return;
        }
        self.push_wide(&clean, style, (width, signs, rest), rows);
    }

    /// Adds text that is too long for a row.
    fn push_wide(
        &mut self,
        text: &str,
        style: Style,
        (width, signs, rest): (usize, &Signs, &Line),
        rows: &mut Vec<Line>,
    ) {
        for grapheme in text.graphemes(true) {
            let wide = columns(grapheme);
            if self.columns + wide > width && !self.is_empty() {
                let mut prefix = rest.clone();
                if width >= LEAST_WIDTH {
                    prefix.push_clean(signs.continued, Style::new(TextRole::Sign));
                }
                rows.push(std::mem::replace(self, Self::new(prefix)).row);
            }
            if self.is_empty()
                && let Cow::Owned(shown) = sanitize_line(grapheme)
            {
                self.push_wide(&shown, style, (width, signs, rest), rows);
            } else {
                self.row.push_clean(grapheme, style);
                self.columns += wide;
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.row.text().len() == self.start
    }
}

/// Returns code with its marks of direction shown, because code is copied. Everything else that is
/// hidden was escaped before.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_direction_mark) {
        return text.into();
    }
    let marks = |mut out: String, char: char| {
        match is_direction_mark(char) {
            true => out.push_str(&sanitize_line(char.encode_utf8(&mut [0; 4]))),
            false => out.push(char),
        }
        out
    };
    Cow::Owned(text.chars().fold(String::new(), marks))
}

/// The size of the parts of a long line, in bytes.
const PART: usize = 256;

const CODE: Style = Style::new(TextRole::Code);

/// The columns of the longest rule above and below code.
const LONGEST_RULE: usize = 48;

/// The minimum width at which a row of code shows that it continues a line.
const LEAST_WIDTH: usize = 16;
