//! The screen of a terminal, as lines of styled spans.
//!
//! The emulator is `vt100`. This module reads its cells, and removes text that differs each time,
//! which a picture must not have.

use vt100::{Cell, Color, Screen};

/// The style of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpanStyle {
    pub(crate) color: SpanColor,
    pub(crate) is_bold: bool,
    pub(crate) is_italic: bool,
}

/// The colour of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpanColor {
    #[default]
    Plain,
    Dim,
    /// One of the 16 colours that a terminal has.
    Numbered(u8),
}

/// A line of a terminal.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TerminalLine {
    pub(crate) spans: Vec<(SpanStyle, String)>,
}

impl TerminalLine {
    /// Returns the line of a command that is typed.
    pub(crate) fn typed(command: &str) -> Self {
        let sign = SpanStyle { color: SpanColor::Numbered(2), ..SpanStyle::default() };
        let bold = SpanStyle { is_bold: true, ..SpanStyle::default() };
        Self { spans: vec![(sign, "$ ".to_owned()), (bold, command.to_owned())] }
    }

    pub(crate) fn dim(text: &str) -> Self {
        let dim = SpanStyle { color: SpanColor::Dim, ..SpanStyle::default() };
        Self { spans: vec![(dim, text.to_owned())] }
    }

    /// Returns the characters without their styles.
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|(_, text)| &**text).collect()
    }

    fn push(&mut self, style: SpanStyle, text: &str) {
        match self.spans.last_mut() {
            Some((last, whole)) if *last == style => whole.push_str(text),
            _ => self.spans.push((style, text.to_owned())),
        }
    }
}

/// Returns the lines of a screen, without empty ones at the end.
pub(crate) fn lines(screen: &Screen) -> Vec<TerminalLine> {
    let (rows, columns) = screen.size();
    let mut lines: Vec<_> = (0..rows.get())
        .map(|row| {
            let mut line = TerminalLine::default();
            let cells = (0..columns.get()).filter_map(|column| screen.cell(row, column));
            for cell in cells.filter(|cell| !cell.is_wide_continuation()) {
                let text = if cell.has_contents() { cell.contents() } else { " " };
                line.push(style(cell), text);
            }
            steady(line)
        })
        .collect();
    while lines.last().is_some_and(|line| line.text().trim().is_empty()) {
        lines.pop();
    }
    lines
}

fn style(cell: &Cell) -> SpanStyle {
    let color = match cell.fgcolor() {
        _ if cell.dim() => SpanColor::Dim,
        Color::Idx(number) => SpanColor::Numbered(number),
        _ => SpanColor::Plain,
    };
    SpanStyle { color, is_bold: cell.bold(), is_italic: cell.italic() }
}

/// Returns a line in which each id of a conversation and each time is always the same. The time of a
/// call is left out, because only a call that took long has one.
fn steady(mut line: TerminalLine) -> TerminalLine {
    if line.text().starts_with('\u{2713}')
        && let Some((_, outcome)) = line.spans.iter_mut().rfind(|(_, text)| !text.trim().is_empty())
        && let Some((rest, time)) = outcome.rsplit_once(" \u{b7} ")
        && time.trim_end().ends_with(" s")
    {
        *outcome = rest.to_owned();
    }
    let spans = line.spans.into_iter().map(|(style, text)| {
        let mut words: Vec<_> = text.split(' ').map(str::to_owned).collect();
        for index in 0..words.len() {
            let is_time = words
                .get(index + 1)
                .is_some_and(|unit| matches!(unit.trim_end_matches([':', ',']), "s" | "ms"));
            // A limit is a whole number of seconds, and a measured time is not.
            if is_time && words[index].contains('.') && words[index].parse::<f64>().is_ok() {
                words[index] = "0.1".to_owned();
            } else if is_conversation(&words[index]) {
                words[index] = "ctn4k2s8q1x7m0a".to_owned();
            }
        }
        (style, words.join(" "))
    });
    TerminalLine { spans: spans.collect() }
}

/// Returns whether a word is the id of a conversation.
fn is_conversation(word: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    word.len() == 15 && word.starts_with("ct") && word.bytes().all(is_digit)
}
