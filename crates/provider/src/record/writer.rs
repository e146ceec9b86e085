//! The writer of a recording's lines.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use super::line::{RecordedDelta, RecordedEnd, RecordedLine, RecordedRequest};
use super::{Secrets, is_last};
use crate::delta::Delta;
use crate::error::{Error, ErrorKind};

/// The file of a recording, and the secrets that are masked in it.
#[derive(Clone)]
pub(crate) struct RecordingWriter {
    to: Arc<Mutex<dyn Write + Send>>,
    pub(crate) secrets: Secrets,
}

/// The line of an answer that is not over yet.
pub(crate) struct OpenLine {
    line: RecordedLine,
    writer: RecordingWriter,
    written: bool,
}

impl RecordingWriter {
    pub(crate) fn new(to: impl Write + Send + 'static, secrets: Secrets) -> Self {
        Self { to: Arc::new(Mutex::new(to)), secrets }
    }

    /// Begins the line of a request, in a session or without one.
    pub(crate) fn open(&self, session: Option<String>, request: RecordedRequest) -> OpenLine {
        let line = RecordedLine { session, request, answer: Vec::new(), ended: None };
        OpenLine { line, writer: self.clone(), written: false }
    }
}

impl OpenLine {
    /// Adds an item, and writes the line after the last one.
    pub(crate) fn push(&mut self, item: &Result<Delta, Error>) -> Result<(), Error> {
        if self.written {
            return Ok(());
        }
        self.line.answer.push(RecordedDelta::from(item));
        if is_last(item) { self.write() } else { Ok(()) }
    }

    /// Ends an answer that its last item does not end, and writes the line.
    pub(crate) fn ended(&mut self, how: RecordedEnd) -> Result<(), Error> {
        self.line.ended = Some(how);
        self.write()
    }

    /// Ends the line of a request that failed, and returns the error of the request or of the
    /// write.
    pub(crate) fn failed(&mut self, error: Error) -> Result<(), Error> {
        let error = Err(error);
        self.line.answer.push(RecordedDelta::from(&error));
        self.ended(RecordedEnd::Failed)?;
        error.map(|_| ())
    }

    /// Writes the line, once.
    pub(crate) fn write(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.written, true) {
            return Ok(());
        }
        self.line.mask(&self.writer.secrets);
        let mut text = serde_json::to_string(&self.line).expect("strings and numbers are JSON");
        text.push('\n');
        let mut to = self.writer.to.lock().unwrap_or_else(PoisonError::into_inner);
        to.write_all(text.as_bytes()).and_then(|()| to.flush()).map_err(|error| {
            Error::new(ErrorKind::Recording, "the recording cannot be written").with_source(error)
        })
    }
}

/// Writes an answer that is read no further. It is replayed up to the same place.
impl Drop for OpenLine {
    fn drop(&mut self) {
        // The error has no receiver.
        let _ = self.write();
    }
}
