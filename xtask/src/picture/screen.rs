//! A terminal that turns output into lines of styled spans.
//!
//! It knows the sequences that `silcrow` writes: styles, the return to the start of a line, and
//! clearing of a line. Other sequences are ignored. It is in text, or within an escape sequence,
//! whose beginning is in `sequence`.

/// The style of a span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpanStyle {
    #[default]
    Plain,
    Dim,
    Bold,
    Red,
    Green,
}

/// A line of a terminal.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TerminalLine {
    pub(crate) spans: Vec<(SpanStyle, String)>,
}

impl TerminalLine {
    /// Returns the line of a command that is typed.
    pub(crate) fn typed(command: &str) -> Self {
        Self {
            spans: vec![(SpanStyle::Green, "$ ".to_owned()), (SpanStyle::Bold, command.to_owned())],
        }
    }

    pub(crate) fn dim(text: &str) -> Self {
        Self { spans: vec![(SpanStyle::Dim, text.to_owned())] }
    }

    /// Returns the characters without their styles.
    pub(crate) fn text(&self) -> String {
        self.spans.iter().map(|(_, text)| &**text).collect()
    }

    fn push(&mut self, style: SpanStyle, char: char) {
        match self.spans.last_mut() {
            Some((last, text)) if *last == style => text.push(char),
            _ => self.spans.push((style, char.to_string())),
        }
    }
}

/// A terminal that takes the output of a command.
#[derive(Debug, Default)]
pub(crate) struct TerminalScreen {
    lines: Vec<TerminalLine>,
    line: TerminalLine,
    style: SpanStyle,
    sequence: Option<String>,
    /// Whether the cursor is back at the start of the line, so that more text replaces the line.
    is_back: bool,
}

impl TerminalScreen {
    pub(crate) fn push(&mut self, text: &str) {
        for char in text.chars() {
            match (&mut self.sequence, char) {
                (Some(sequence), '[') if sequence.is_empty() => sequence.push(char),
                (Some(sequence), '0'..='9' | ';' | '?') => sequence.push(char),
                (Some(_), end) => self.apply(end),
                (None, '\x1b') => self.sequence = Some(String::new()),
                (None, '\r') => self.is_back = true,
                (None, '\n') => {
                    self.is_back = false;
                    self.lines.push(std::mem::take(&mut self.line));
                }
                (None, char) => {
                    if std::mem::take(&mut self.is_back) {
                        self.line = TerminalLine::default();
                    }
                    self.line.push(self.style, char);
                }
            }
        }
    }

    /// Applies a sequence that ends with this character.
    fn apply(&mut self, end: char) {
        let sequence = self.sequence.take().unwrap_or_default();
        match (end, sequence.trim_start_matches('[')) {
            ('K', _) => self.line = TerminalLine::default(),
            ('m', "1") => self.style = SpanStyle::Bold,
            ('m', "2") => self.style = SpanStyle::Dim,
            ('m', "31") => self.style = SpanStyle::Red,
            ('m', "32") => self.style = SpanStyle::Green,
            ('m', _) => self.style = SpanStyle::Plain,
            _ => {}
        }
    }

    /// Returns the lines, without empty ones at the end.
    pub(crate) fn finish(mut self) -> Vec<TerminalLine> {
        self.lines.push(self.line);
        while self.lines.last().is_some_and(|line| line.text().trim().is_empty()) {
            self.lines.pop();
        }
        self.lines
    }
}
