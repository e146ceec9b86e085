//! A run of an agent on its way into an answer: its events, and then its outcome.
//!
//! ```text
//! begin ─► an event ─► an event ─► … ─► the events are over ─► the outcome, an error or a panic ─► end
//! ```
//!
//! It belongs to one request, and has no other readers. A [`Server`](crate::Server) has runs that
//! outlive their readers.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use axum::response::Response;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use silcrow_agent::{Error as AgentError, RunOutcome, RunStream};
use silcrow_event::{RunEvent, error_chain};
use silcrow_front::{RunEncoder, RunEnd};
use silcrow_tool::CancellationToken;

use crate::error::{Error, ErrorKind};
use crate::sse::{self, SseSource};

/// Encodes a run of an agent from its beginning to its end, for a handler of your own.
///
/// The last frames give the outcome of the run, even of a failed one. Dropped before that, it drops
/// the [`RunStream`], which stops the run unless its options say otherwise.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use axum::extract::State;
/// use axum::response::Response;
/// use silcrow_agent::Agent;
/// use silcrow_front::NativeEncoder;
/// # use silcrow_provider::ScriptedModel;
/// use silcrow_server::{EncodedRun, Error};
/// # use silcrow_store::MemoryStore;
///
/// async fn ask(State(agent): State<Agent>, prompt: String) -> Result<Response, Error> {
///     EncodedRun::new(agent.stream("sums", prompt), NativeEncoder::new()).into_response().await
/// }
/// # let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
/// # let agent = Agent::new(model, MemoryStore::new());
/// # let answer = ask(State(agent), "2 + 2?".to_owned()).await.unwrap();
/// # let body = axum::body::to_bytes(answer.into_body(), 1 << 20).await.unwrap();
/// # assert!(body.ends_with(b"{\"type\":\"idle\",\"outcome\":\"answered\"}\n\n"));
/// # });
/// ```
pub struct EncodedRun<E> {
    encoder: E,
    /// Events that came before the prompt was stored.
    early: VecDeque<RunEvent>,
    state: EncodedState,
}

enum EncodedState {
    Beginning(RunStream),
    Reading(RunStream),
    Ending(BoxFuture<'static, RunEnd>),
    Over,
}

impl<E: RunEncoder> EncodedRun<E> {
    /// Encodes a run. An encoder for a conversation that continues has [skipped](RunEncoder::skip)
    /// the log before the run.
    pub const fn new(run: RunStream, encoder: E) -> Self {
        Self { encoder, early: VecDeque::new(), state: EncodedState::Beginning(run) }
    }

    /// Waits for the next messages, which may be empty; `None` after the end. Cancel-safe.
    pub async fn next(&mut self) -> Option<String> {
        let mut out = String::new();
        if let EncodedState::Beginning(_) = self.state {
            self.encoder.begin(&mut out);
            self.state = match std::mem::replace(&mut self.state, EncodedState::Over) {
                EncodedState::Beginning(run) => EncodedState::Reading(run),
                other => other,
            };
            return Some(out);
        }
        if let EncodedState::Reading(run) = &mut self.state {
            let early = self.early.pop_front();
            let event = match early {
                Some(event) => Some(event),
                None => run.next().await,
            };
            if let Some(event) = event {
                self.encoder.encode(event.as_ref(), &mut out);
                return Some(out);
            }
            self.state = match std::mem::replace(&mut self.state, EncodedState::Over) {
                EncodedState::Reading(run) => EncodedState::Ending(end_of(run.outcome()).boxed()),
                other => other,
            };
        }
        let EncodedState::Ending(ending) = &mut self.state else { return None };
        let end = ending.await;
        self.encoder.end(&end, &mut out);
        self.state = EncodedState::Over;
        Some(out)
    }

    /// Returns the encoder, such as for an answer in one piece after the end.
    pub fn into_encoder(self) -> E {
        self.encoder
    }

    /// Waits until the prompt of the run is stored, so that its answer may begin.
    ///
    /// # Errors
    ///
    /// Returns an error if the run has ended before: the store's error, or that it was stopped.
    /// Nothing of such a run remains.
    pub async fn begun(mut self) -> Result<Self, Error> {
        let EncodedState::Beginning(run) = &mut self.state else { return Ok(self) };
        let handle = run.handle();
        let begun = handle.begun();
        tokio::pin!(begun);
        let has_begun = loop {
            tokio::select! {
                biased;
                has_begun = &mut begun => break has_begun,
                // The run does not wait for its reader.
                Some(event) = run.next() => self.early.push_back(event),
            }
        };
        match std::mem::replace(&mut self.state, EncodedState::Over) {
            EncodedState::Beginning(run) if !has_begun => {
                Err(not_stored(Some(end_of(run.outcome()).await)))
            }
            state => Ok(Self { state, ..self }),
        }
    }
}

impl<E: RunEncoder + 'static> EncodedRun<E> {
    /// Returns the messages as a stream.
    pub fn into_stream(self) -> BoxStream<'static, String> {
        let pieces = stream::unfold(self, |mut run| async {
            loop {
                let piece = run.next().await?;
                if !piece.is_empty() {
                    return Some((piece, run));
                }
            }
        });
        Box::pin(pieces)
    }

    /// Waits until the prompt is stored, and answers with the messages as server-sent events. While
    /// nothing happens, the answer says every 15 seconds that it lives.
    ///
    /// # Errors
    ///
    /// See [`begun`](Self::begun). The error is an answer, too, with the status of its kind.
    pub async fn into_response(self) -> Result<Response, Error> {
        let run = self.begun().await?;
        Ok(sse::stream(run, CancellationToken::new(), KEEP_ALIVE))
    }
}

impl<E: RunEncoder + 'static> SseSource for EncodedRun<E> {
    const OPENING: &'static str = ": \n\n";

    async fn next(&mut self) -> Option<String> {
        Self::next(self).await
    }
}

impl<E> fmt::Debug for EncodedRun<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedRun").finish_non_exhaustive()
    }
}

/// Returns the outcome of a run in the form for encoders.
///
/// ```
/// use silcrow_agent::RunOutcome;
/// use silcrow_front::RunEnd;
///
/// assert_eq!(silcrow_server::run_end(&Ok(RunOutcome::Interrupted)), RunEnd::Stopped);
/// ```
pub fn run_end(outcome: &Result<RunOutcome, AgentError>) -> RunEnd {
    match outcome {
        Ok(RunOutcome::Answered) => RunEnd::Answered,
        Ok(RunOutcome::Interrupted) => RunEnd::Stopped,
        Ok(RunOutcome::Waiting(_)) => RunEnd::Waiting,
        Err(error) => {
            RunEnd::Failed { code: error.kind().as_str().to_owned(), message: error_chain(error) }
        }
    }
}

/// Waits for the end of a run, which may be a panic.
pub(crate) async fn end_of(
    outcome: impl Future<Output = Result<RunOutcome, AgentError>>,
) -> RunEnd {
    match AssertUnwindSafe(outcome).catch_unwind().await {
        Ok(outcome) => run_end(&outcome),
        Err(_) => RunEnd::Failed {
            code: "panic".to_owned(),
            message: "the run ended by a fault of the program; try again".to_owned(),
        },
    }
}

/// Returns the error of a run that ended before its prompt was stored.
pub(crate) fn not_stored(end: Option<RunEnd>) -> Error {
    let (kind, why) = match end {
        Some(RunEnd::Failed { code, message }) => {
            let kind = match &*code {
                "store_conflict" => ErrorKind::Stale,
                "store_locked" => ErrorKind::Busy,
                "store_unavailable" | "store_fenced" => ErrorKind::Unavailable,
                "refused" => ErrorKind::Malformed,
                _ => ErrorKind::Failed,
            };
            (kind, message)
        }
        _ => (ErrorKind::Stale, "the run was stopped".to_owned()),
    };
    Error::new(kind, format!("the prompt is not stored, so nothing runs: {why}"))
}

/// The time between two signs of life.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
