//! Runs that are written down and played again.
//!
//! A recording is a file of JSON Lines, a line for each request with its answer, in the order in
//! which the answers ended:
//!
//! ```json
//! {"request":{"streaming":true,"messages":[{"role":"user","content":"hi"}]},"answer":[{"text":"§end"},{"done":"stop"}]}
//! ```
//!
//! The lines of a session bear its name. What is sent over it is new, and stands behind what counts
//! of the answer before:
//!
//! ```json
//! {"session":"9f","request":{"streaming":true,"kept":"§execute","messages":[{"role":"user","content":"§result: ok"}]},"answer":[{"text":"§end"}]}
//! ```

use std::io::Write;

use futures_util::{FutureExt as _, StreamExt as _, stream};

use crate::delta::Delta;
use crate::error::Error;
use crate::provider::{DeltaStream, Provider, Request};
use crate::session::OpeningSession;

mod difference;
mod line;
mod replay;
mod secrets;
mod session;
mod tape;

pub use replay::Replay;
pub use secrets::Secrets;

use line::Asked;
use tape::Tape;

/// A model whose answers are written down.
///
/// What comes of an answer is given on at once and written as a line when the answer is over, or
/// dropped; so are the answers of a connection that keeps the conversation, if the model offers
/// one.
pub struct Record<P> {
    model: P,
    tape: Tape,
}

impl<P: Provider> Record<P> {
    /// The model, written down to `to`, where `secrets` are masked in requests and answers.
    pub fn new(model: P, to: impl Write + Send + 'static, secrets: Secrets) -> Self {
        Self { model, tape: Tape::new(to, secrets) }
    }
}

impl<P: Provider> Provider for Record<P> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let open = self.tape.open(None, Asked::new(&request, &self.tape.secrets));
        let deltas = self.model.stream(request).fuse();
        Box::pin(stream::unfold((deltas, open), |(mut deltas, mut open)| async {
            let Some(item) = deltas.next().await else {
                let failed = open.write().err()?;
                return Some((Err(failed), (deltas, open)));
            };
            // An answer that is not written down must not pass for one that is.
            let item = open.push(&item).and(item);
            Some((item, (deltas, open)))
        }))
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let asked = Asked::new(&request, &self.tape.secrets);
        let opening = self.model.connect(request)?;
        Some(session::record(opening, self.tape.clone(), asked).boxed())
    }
}

impl<P: std::fmt::Debug> std::fmt::Debug for Record<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("model", &self.model).finish_non_exhaustive()
    }
}

/// Whether nothing follows.
const fn is_last(item: &Result<Delta, Error>) -> bool {
    matches!(item, Ok(Delta::Done(_)) | Err(_))
}
