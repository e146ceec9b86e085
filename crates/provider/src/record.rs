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

/// A model whose answers are recorded, including answers in sessions.
///
/// Deltas are passed on at once. An answer is written as one line when it is over or dropped.
///
/// ```
/// use std::io::Write;
/// use std::sync::{Arc, Mutex};
///
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::record::{Record, Replay, Secrets};
/// use silcrow_provider::{Provider as _, Request, ScriptedModel};
///
/// /// A file in memory.
/// #[derive(Clone, Default)]
/// struct Recording(Arc<Mutex<Vec<u8>>>);
///
/// impl Write for Recording {
///     fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
///         self.0.lock().unwrap().write(bytes)
///     }
///     fn flush(&mut self) -> std::io::Result<()> {
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_provider::Error> {
/// let (file, secrets) = (Recording::default(), Secrets::new(["hunter2-hunter2"]));
/// let model = Record::new(ScriptedModel::parse("§respond: hi", 1), file.clone(), secrets.clone());
/// let request = Request::new(vec![Message::user("My password is hunter2-hunter2.")]);
/// let answer: Vec<_> = model.stream(request.clone()).map(Result::unwrap).collect().await;
///
/// let text = String::from_utf8(file.0.lock().unwrap().clone()).unwrap();
/// assert!(!text.contains("hunter2-hunter2"));
/// let replayed = Replay::parse(&text, secrets)?.stream(request);
/// assert_eq!(replayed.map(Result::unwrap).collect::<Vec<_>>().await, answer);
/// # Ok(())
/// # }
/// ```
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
