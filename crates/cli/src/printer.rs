//! The events of a run as JSON lines, for programs.

use std::io::{self, Write};

use silcrow_event::{Entry, Event, RunEventRef};
use silcrow_sanitize::escape_json;

/// A run as a program follows it: one JSON object a line on standard output.
pub(crate) struct Printer {
    /// Text is printed in fragments, and its complete events are not.
    tokens: bool,
    /// The run's error was printed.
    pub(crate) failed: bool,
    written: io::Result<()>,
}

impl Printer {
    pub(crate) const fn new(tokens: bool) -> Self {
        Self { tokens, failed: false, written: Ok(()) }
    }

    pub(crate) fn show(&mut self, output: RunEventRef<'_>) {
        match output {
            RunEventRef::Text(text, place) if self.tokens => self.line(&text.to_json(&place)),
            RunEventRef::CallText(text, place) => self.line(&text.to_json(&place)),
            RunEventRef::Entry(entry) => self.entry(entry),
            _ => {}
        }
    }

    pub(crate) fn entry(&mut self, entry: &Entry) {
        match &entry.event {
            // Of an agent that a call runs there are no fragments, and its error is not the run's.
            _ if entry.agent_path.is_some() => {}
            Event::Think(_) | Event::Respond(_) if self.tokens => return,
            Event::Error(fault) if fault.at.is_none() => self.failed = true,
            _ => {}
        }
        self.line(&entry.to_json());
    }

    /// Whether all could be written. What could not is stored all the same.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))
    }

    fn line(&mut self, json: &str) {
        if self.written.is_ok() {
            let mut out = io::stdout().lock();
            self.written = write_json(&mut out, json).and_then(|()| out.flush());
        }
    }
}

/// Writes JSON and a line break. Standard output may be a terminal: hidden characters are escaped,
/// and the values stay the same.
pub(crate) fn write_json(out: &mut impl Write, json: &str) -> io::Result<()> {
    writeln!(out, "{}", escape_json(json))
}

/// Passes JSON on as [`write_json`] writes it, a whole line at a time.
pub(crate) struct JsonLines<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    pub(crate) const fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }
}

impl<W: Write> Write for JsonLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if let Some(json) = self.line.strip_suffix(b"\n") {
                write_json(&mut self.out, &String::from_utf8_lossy(json))?;
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
