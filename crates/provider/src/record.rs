//! Runs that are written down and played again.
//!
//! A recording is a file of JSON Lines, a line for each request with its answer, in the order in
//! which the answers ended:
//!
//! ```json
//! {"request":{"streaming":true,"messages":[{"role":"user","content":"hi"}]},"answer":[{"text":"§end"},{"done":"stop"}]}
//! ```

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt as _, stream};

use crate::delta::Delta;
use crate::error::{Error, ErrorKind};
use crate::provider::{Deltas, Provider, Request};

mod difference;
mod line;
mod replay;
mod secrets;

pub use replay::Replay;
pub use secrets::Secrets;

use line::{Asked, Line, Piece};

/// A model whose answers are written down.
///
/// What comes of an answer is given on at once and written as a line when the answer is over, or
/// dropped. A connection that keeps the conversation is not offered: it would have to be written
/// otherwise.
pub struct Record<P> {
    model: P,
    to: Arc<Mutex<dyn Write + Send>>,
    secrets: Secrets,
}

impl<P: Provider> Record<P> {
    /// The model, written down to `to`, where `secrets` are masked in requests and answers.
    pub fn new(model: P, to: impl Write + Send + 'static, secrets: Secrets) -> Self {
        Self { model, to: Arc::new(Mutex::new(to)), secrets }
    }
}

impl<P: Provider> Provider for Record<P> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> Deltas {
        let open = Open {
            line: Line { request: Asked::new(&request, &self.secrets), answer: Vec::new() },
            to: Arc::clone(&self.to),
            secrets: self.secrets.clone(),
            written: false,
        };
        let deltas = self.model.stream(request).fuse();
        Box::pin(stream::unfold((deltas, open), |(mut deltas, mut open)| async {
            let Some(item) = deltas.next().await else {
                let failed = open.write().err()?;
                return Some((Err(failed), (deltas, open)));
            };
            open.line.answer.push(Piece::from(&item));
            let last = matches!(item, Ok(Delta::Done(_)) | Err(_));
            let written = if last { open.write() } else { Ok(()) };
            // An answer that is not written down must not pass for one that is.
            Some((written.and(item), (deltas, open)))
        }))
    }
}

impl<P: std::fmt::Debug> std::fmt::Debug for Record<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("model", &self.model).finish_non_exhaustive()
    }
}

/// An answer that is being written down.
struct Open {
    line: Line,
    to: Arc<Mutex<dyn Write + Send>>,
    secrets: Secrets,
    written: bool,
}

impl Open {
    fn write(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.written, true) {
            return Ok(());
        }
        self.line.mask(&self.secrets);
        let mut text = serde_json::to_string(&self.line).expect("strings and numbers are JSON");
        text.push('\n');
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
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
