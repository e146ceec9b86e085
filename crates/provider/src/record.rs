//! Recording and replay of a model's answers.
//!
//! A recording is a file of JSON Lines. Each line is a request with its answer, in the order in
//! which the answers ended:
//!
//! ```json
//! {"request":{"streaming":true,"messages":[{"role":"user","content":"hi"}]},"answer":[{"text":"§end"},{"done":"stop"}]}
//! ```
//!
//! The lines of a session have its name. A later request of a session contains only new messages,
//! and `kept`, the part of the last answer that counts:
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
mod session;
mod writer;

pub use replay::Replay;
pub use silcrow_sanitize::{Secret, Secrets};

use line::RecordedRequest;
use writer::RecordingWriter;

/// A model whose answers are recorded, including those of its sessions.
///
/// Deltas are passed on at once. An answer is written as one line when it is over or dropped.
pub struct Record<P> {
    model: P,
    writer: RecordingWriter,
}

impl<P: Provider> Record<P> {
    /// Records the answers of `model` to `to`, with `secrets` masked in requests and answers.
    pub fn new(model: P, to: impl Write + Send + 'static, secrets: Secrets) -> Self {
        Self { model, writer: RecordingWriter::new(to, secrets) }
    }
}

impl<P: Provider> Provider for Record<P> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let open = self.writer.open(None, RecordedRequest::new(&request, &self.writer.secrets));
        let deltas = self.model.stream(request).fuse();
        Box::pin(stream::unfold((deltas, open), |(mut deltas, mut open)| async {
            let Some(item) = deltas.next().await else {
                let failed = open.write().err()?;
                return Some((Err(failed), (deltas, open)));
            };
            // If the answer cannot be recorded, the caller receives the error in its place.
            let item = open.push(&item).and(item);
            Some((item, (deltas, open)))
        }))
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let asked = RecordedRequest::new(&request, &self.writer.secrets);
        let opening = self.model.connect(request)?;
        Some(session::record(opening, self.writer.clone(), asked).boxed())
    }
}

impl<P: std::fmt::Debug> std::fmt::Debug for Record<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").field("model", &self.model).finish_non_exhaustive()
    }
}

/// Returns whether nothing follows the item.
const fn is_last(item: &Result<Delta, Error>) -> bool {
    matches!(item, Ok(Delta::Done(_)) | Err(_))
}
