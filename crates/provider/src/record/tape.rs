use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use super::line::{Asked, Ended, Line, Piece};
use super::{Secrets, is_last};
use crate::delta::Delta;
use crate::error::{Error, ErrorKind};

/// Where answers are written down, and what is masked there.
#[derive(Clone)]
pub(crate) struct Tape {
    to: Arc<Mutex<dyn Write + Send>>,
    pub(crate) secrets: Secrets,
}

/// An answer that is being written down.
pub(crate) struct Open {
    line: Line,
    tape: Tape,
    written: bool,
}

impl Tape {
    pub(crate) fn new(to: impl Write + Send + 'static, secrets: Secrets) -> Self {
        Self { to: Arc::new(Mutex::new(to)), secrets }
    }

    /// An answer to what was asked, in a session or alone.
    pub(crate) fn open(&self, session: Option<String>, request: Asked) -> Open {
        let line = Line { session, request, answer: Vec::new(), ended: None };
        Open { line, tape: self.clone(), written: false }
    }
}

impl Open {
    /// Takes in what comes, and is written with the last of it.
    pub(crate) fn push(&mut self, item: &Result<Delta, Error>) -> Result<(), Error> {
        if self.written {
            return Ok(());
        }
        self.line.answer.push(Piece::from(item));
        if is_last(item) { self.write() } else { Ok(()) }
    }

    /// It ended otherwise than by its last piece, unless it is written.
    pub(crate) fn ended(&mut self, how: Ended) -> Result<(), Error> {
        self.line.ended = Some(how);
        self.write()
    }

    /// What was asked failed itself.
    pub(crate) fn failed(&mut self, error: Error) -> Result<(), Error> {
        let error = Err(error);
        self.line.answer.push(Piece::from(&error));
        self.ended(Ended::Failed)?;
        error.map(|_| ())
    }

    /// Writes it, once.
    pub(crate) fn write(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.written, true) {
            return Ok(());
        }
        self.line.mask(&self.tape.secrets);
        let mut text = serde_json::to_string(&self.line).expect("strings and numbers are JSON");
        text.push('\n');
        let mut to = self.tape.to.lock().unwrap_or_else(PoisonError::into_inner);
        to.write_all(text.as_bytes()).and_then(|()| to.flush()).map_err(|error| {
            let message = format!("the recording cannot be written: {error}");
            Error::new(ErrorKind::Recording, message).caused_by(error)
        })
    }
}

/// An answer that is read no further ends where it is: so it is played again.
impl Drop for Open {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.write();
    }
}
