//! Prints a run's events for programs, as JSON lines.

use std::fmt;
use std::io::{self, Write};

use silcrow_event::{Entry, Event, Respond, ResultFold, RunEventRef};
use silcrow_sanitize::escape_json;

/// Prints the events of a run, one JSON object a line.
///
/// ```
/// use silcrow_console::printer::Printer;
/// use silcrow_event::Event;
///
/// let mut printer = Printer::new(Vec::new(), false);
/// printer.entry(&Event::user("Hi!").into());
/// assert!(!printer.has_failed());
/// printer.finish().unwrap();
/// ```
pub struct Printer {
    out: Box<dyn Write + Send>,
    /// Whether text is printed in fragments instead of complete events.
    tokens: bool,
    /// The id of the malformed call whose text was printed as a fragment and whose event follows.
    malformed: Option<String>,
    /// Folds the results of a batch into one, if that is wanted.
    fold: Option<ResultFold>,
    /// Whether the run's error was printed.
    failed: bool,
    written: io::Result<()>,
}

impl Printer {
    /// Creates a printer that writes to `out`. `tokens` says whether text is printed in fragments
    /// instead of complete events.
    pub fn new(out: impl Write + Send + 'static, tokens: bool) -> Self {
        let (out, written) = (Box::new(out), Ok(()));
        Self { out, tokens, malformed: None, fold: None, failed: false, written }
    }

    /// Prints the results of each batch as one event with their counts ([`ResultFold`]).
    #[must_use]
    pub fn with_result_batches(self, batches: bool) -> Self {
        Self { fold: batches.then(ResultFold::default), ..self }
    }

    /// Creates a printer that writes to standard output.
    pub fn to_stdout(tokens: bool) -> Self {
        Self::new(io::stdout(), tokens)
    }

    /// Returns whether the run's error was printed.
    pub const fn has_failed(&self) -> bool {
        self.failed
    }

    /// Prints an event of a run.
    pub fn show(&mut self, output: RunEventRef<'_>) {
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

    /// Prints an event. With batches, results wait for the end of theirs.
    pub fn entry(&mut self, entry: &Entry) {
        let Some(mut fold) = self.fold.take() else { return self.single(entry) };
        fold.push(entry, &mut |entry| self.single(entry));
        self.fold = Some(fold);
    }

    fn single(&mut self, entry: &Entry) {
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

    /// Ends the output.
    ///
    /// # Errors
    ///
    /// Returns the first error of writing. The run continued without output after it.
    pub fn finish(&mut self) -> io::Result<()> {
        if let Some(mut fold) = self.fold.take() {
            fold.finish(&mut |entry| self.single(entry));
        }
        std::mem::replace(&mut self.written, Ok(()))
    }

    /// Prints one JSON object, unless nothing can be written any more.
    pub fn line(&mut self, json: &str) {
        if self.written.is_ok() {
            let written = write_json(&mut self.out, json);
            self.written = written.and_then(|()| self.out.flush());
        }
    }
}

impl fmt::Debug for Printer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Printer").field("tokens", &self.tokens).finish_non_exhaustive()
    }
}

/// Writes JSON and a line break. Hidden characters are escaped, because the output may be a terminal;
/// the values stay the same.
///
/// # Errors
///
/// Fails if the output does.
pub fn write_json(out: &mut impl Write, json: &str) -> io::Result<()> {
    writeln!(out, "{}", escape_json(json))
}

/// A writer of JSON lines that writes each whole line with [`write_json`].
///
/// ```
/// use std::io::Write as _;
///
/// use silcrow_console::printer::JsonLines;
///
/// let mut out = Vec::new();
/// JsonLines::new(&mut out).write_all("\"a\u{202e}\"\n".as_bytes()).unwrap();
/// assert_eq!(out, b"\"a\\u202e\"\n");
/// ```
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> JsonLines<W> {
    /// Creates a writer of lines on top of another one.
    pub const fn new(out: W) -> Self {
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
