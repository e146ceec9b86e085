//! The output of a run for programs: its events as JSON lines.

use std::io::{self, Write};

use silcrow_event::{Entry, Event, Respond, RunEventRef};
use silcrow_sanitize::escape_json;

/// Prints the events of a run on standard output, one JSON object a line.
pub(crate) struct Printer {
    /// Whether text is printed in fragments instead of complete events.
    tokens: bool,
    /// The id of the malformed call whose text was printed as a fragment and whose event follows.
    malformed: Option<String>,
    /// Whether the run's error was printed.
    pub(crate) failed: bool,
    written: io::Result<()>,
}

impl Printer {
    pub(crate) const fn new(tokens: bool) -> Self {
        Self { tokens, malformed: None, failed: false, written: Ok(()) }
    }

    pub(crate) fn show(&mut self, output: RunEventRef<'_>) {
        match output {
            RunEventRef::Text(text, place) if self.tokens => {
                self.malformed = text.id.map(str::to_owned);
                self.line(&text.to_json(&place));
            }
            RunEventRef::CallText(text, place) => self.line(&text.to_json(&place)),
            RunEventRef::Entry(entry) => self.entry(entry),
            RunEventRef::Call(transition, place) => {
                if let Some(json) = transition.to_json(&place) {
                    self.line(&json);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn entry(&mut self, entry: &Entry) {
        match &entry.event {
            // Agents that calls run emit no fragments, and their errors are not the run's.
            _ if entry.agent_path.is_some() => {}
            // The text of a call that was cut off or rejected is in no fragment.
            Event::Respond(Respond { malformed: Some(id), .. })
                if self.tokens && self.malformed.take().as_ref() != Some(id) => {}
            Event::Think(_) | Event::Respond(_) if self.tokens => return,
            Event::Error(fault) if fault.at.is_none() => self.failed = true,
            _ => {}
        }
        self.line(&entry.to_json());
    }

    /// Returns the first error of writing. The run continued without output after it.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))
    }

    /// Prints one JSON object, unless nothing can be written any more.
    pub(crate) fn line(&mut self, json: &str) {
        if self.written.is_ok() {
            let mut out = io::stdout().lock();
            self.written = write_json(&mut out, json).and_then(|()| out.flush());
        }
    }
}

/// Writes JSON and a line break. Hidden characters are escaped, because standard output may be a
/// terminal; the values stay the same.
pub(crate) fn write_json(out: &mut impl Write, json: &str) -> io::Result<()> {
    writeln!(out, "{}", escape_json(json))
}

/// A writer of JSON lines that writes each whole line with [`write_json`].
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
