//! The answer on standard output.
//!
//! If a person reads along, text is written as it comes. A pipe or a file gets the answer once it
//! is certain: the answer of the last turn that answered, without answers that the run has
//! rejected. Nothing but the answer is written, and a line break between two parts and after the
//! last.

use std::fmt;
use std::io::{self, Write};

/// A writer of a run's answer.
pub(crate) struct AnswerWriter {
    out: Box<dyn Write + Send>,
    /// Whether text is written as it comes.
    streams: bool,
    /// Whether other output is shown on the same terminal.
    is_shared: bool,
    /// Whether the cursor is at the start of a line.
    is_line_start: bool,
    /// White space that belongs to the answer only if more text follows.
    blank: String,
    /// The turn and the number of the part that is being written.
    open: Option<(Option<u32>, u32)>,
    /// The turn of the parts.
    turn: Option<u32>,
    /// The parts of the answer that are not written yet.
    parts: Vec<String>,
    /// The turn of whose parts only the last one is the answer.
    several: Option<u32>,
    has_answer: bool,
    written: io::Result<()>,
}

impl AnswerWriter {
    /// Creates a writer. `is_shared` says whether other output is shown on the same terminal.
    pub(crate) fn new(out: Box<dyn Write + Send>, streams: bool, is_shared: bool) -> Self {
        Self {
            out,
            streams,
            is_shared,
            is_line_start: true,
            blank: String::new(),
            open: None,
            turn: None,
            parts: Vec::new(),
            several: None,
            has_answer: false,
            written: Ok(()),
        }
    }

    /// Returns whether text is written as it comes.
    pub(crate) const fn streams(&self) -> bool {
        self.streams
    }

    /// Returns whether the model has given an answer.
    pub(crate) const fn has_answer(&self) -> bool {
        self.has_answer || !self.parts.is_empty()
    }

    /// Takes a piece of the part that is being written.
    pub(crate) fn push(&mut self, text: &str) {
        let body = text.trim_end();
        if !body.is_empty() {
            self.has_answer = true;
            let blank = std::mem::take(&mut self.blank);
            self.write(&blank);
            self.write(body);
        }
        self.blank.push_str(&text[body.len()..]);
    }

    /// Takes a piece like [`Self::push`] if it ends the current line, but only up to that line's
    /// end. Returns the rest, or `None` if it does not end the line and is not taken.
    pub(crate) fn push_line(&mut self, text: &str) -> Option<String> {
        let whole = format!("{}{text}", self.blank);
        let body = whole.trim_end();
        let end = body.find('\n')? + 1;
        self.blank.clear();
        self.write(&whole[..end]);
        Some(whole[end..].to_owned())
    }

    /// Returns whether a line of the answer is open on a terminal that other output shares.
    pub(crate) const fn is_within_line(&self) -> bool {
        self.is_shared && !self.is_line_start
    }

    /// Begins a part on its own line, or continues it.
    pub(crate) fn begin_part(&mut self, turn: Option<u32>, part: u32) {
        if self.open.replace((turn, part)) != Some((turn, part)) {
            self.blank.clear();
            self.end_line();
        }
    }

    /// Takes a complete part of a turn's answer. Returns the parts of an earlier turn, which are not
    /// the answer.
    pub(crate) fn collect(&mut self, turn: Option<u32>, text: String) -> Vec<String> {
        let mut earlier = Vec::new();
        if self.turn != turn {
            earlier = std::mem::take(&mut self.parts);
        }
        self.turn = turn;
        self.parts.push(text);
        earlier
    }

    /// Drops the parts of a turn that is not accepted as an answer.
    pub(crate) fn reject(&mut self, turn: Option<u32>) {
        if self.turn == turn {
            self.parts.clear();
        }
    }

    /// Notes that a turn has several final responses, of which the last one is the answer (P-22).
    pub(crate) const fn keep_last(&mut self, turn: Option<u32>) {
        self.several = turn;
    }

    /// Returns whether other output has to end the line of the answer on the terminal that both
    /// share. It then writes the line break itself, so that the answer has none.
    pub(crate) fn break_line(&mut self) -> bool {
        self.is_shared && !std::mem::replace(&mut self.is_line_start, true)
    }

    /// Writes the answer that is certain now, and returns the first error of writing.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.accept();
        std::mem::replace(&mut self.written, Ok(()))
    }

    /// Writes the parts of an answer that is accepted.
    pub(crate) fn accept(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        if self.several.is_some() && self.several == self.turn {
            parts.drain(..parts.len().saturating_sub(1));
        }
        for part in parts {
            self.end_line();
            self.write(&part);
            self.has_answer = true;
        }
        self.end_line();
    }

    fn end_line(&mut self) {
        if !self.is_line_start {
            self.write("\n");
        }
    }

    fn write(&mut self, text: &str) {
        let Some(last) = text.chars().last() else { return };
        if self.written.is_ok() {
            let written = self.out.write_all(text.as_bytes());
            self.written = written.and_then(|()| self.out.flush());
        }
        self.is_line_start = last == '\n';
    }
}

impl fmt::Debug for AnswerWriter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AnswerWriter").field("streams", &self.streams).finish_non_exhaustive()
    }
}
