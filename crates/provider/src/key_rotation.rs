//! One model that is asked with several keys in turn.
//!
//! The state is the key that is tried first, which all requests share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, stream};

use crate::error::{Error, ErrorKind};
use crate::provider::{DeltaStream, Provider, Request};
use crate::sent_bytes::add_sent_bytes;
use crate::session::{OpeningSession, Session};

/// One model in several variants, such as one for each key.
///
/// If a variant fails with [`ErrorKind::Rate`] or [`ErrorKind::Auth`] before the first delta, the
/// next one is asked at once, and later requests begin with it. If all variants fail, the last
/// error is returned.
///
/// ```
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::record::{Replay, Secrets};
/// use silcrow_provider::{Delta, KeyRotation, Provider, Request, ScriptedModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_provider::Error> {
/// // The first key is rejected.
/// let rejected = r#"{"request":{"streaming":true,"messages":[{"role":"user","content":"hi"}]},"answer":[{"error":{"code":"auth","message":"no such key"}}]}"#;
/// let first: Box<dyn Provider> = Box::new(Replay::parse(rejected, Secrets::default())?);
/// let second: Box<dyn Provider> = Box::new(ScriptedModel::parse("hello", 1));
///
/// let model = KeyRotation::new(first, [second]);
/// let mut deltas = model.stream(Request::new(vec![Message::user("hi")]));
/// assert!(matches!(deltas.next().await, Some(Ok(Delta::Text(_)))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct KeyRotation<P> {
    ways: Arc<[P]>,
    /// The variant that is asked first, modulo their number.
    first: Arc<AtomicUsize>,
}

impl<P: Provider + 'static> KeyRotation<P> {
    /// Creates a rotation that begins with `first` and continues with each of the `others`.
    pub fn new(first: P, others: impl IntoIterator<Item = P>) -> Self {
        Self { ways: std::iter::once(first).chain(others).collect(), first: Arc::default() }
    }

    fn round(&self) -> RotationRound<P> {
        let (ways, first) = (Arc::clone(&self.ways), Arc::clone(&self.first));
        RotationRound { left: ways.len(), ways, first, at: 0, spent: 0 }
    }
}

impl<P: Provider + 'static> Provider for KeyRotation<P> {
    fn name(&self) -> &str {
        self.ways[0].name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        Box::pin(stream::once(ask(self.round(), request)).flatten())
    }

    /// Tries one variant after the other until a session is open.
    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let mut round = self.round();
        let opening = round.way().connect(request.clone())?;
        Some(Box::pin(open(opening, round, request)))
    }
}

async fn ask(mut round: RotationRound<impl Provider>, request: Request) -> DeltaStream {
    loop {
        let mut deltas = round.way().stream(request.clone());
        match deltas.next().await {
            Some(Err(error)) => match round.failed(error) {
                Ok(()) => {}
                Err(error) => return Box::pin(stream::iter([Err(error)])),
            },
            Some(first) => {
                return add_sent_bytes(Box::pin(stream::iter([first]).chain(deltas)), round.spent);
            }
            None => return deltas,
        }
    }
}

async fn open(
    mut opening: OpeningSession,
    mut round: RotationRound<impl Provider>,
    request: Request,
) -> Result<Box<dyn Session>, Error> {
    loop {
        match opening.await {
            Ok(session) => return Ok(session),
            Err(error) => round.failed(error)?,
        }
        opening = round.way().connect(request.clone()).ok_or_else(|| {
            Error::new(ErrorKind::Refused, "the next variant of the model does not offer sessions")
        })?;
    }
}

/// The variants that one request has tried.
struct RotationRound<P> {
    ways: Arc<[P]>,
    first: Arc<AtomicUsize>,
    /// The variant that was asked last.
    at: usize,
    left: usize,
    /// Bytes of requests that failed.
    spent: u64,
}

impl<P> RotationRound<P> {
    /// Returns the variant that is asked next.
    fn way(&mut self) -> &P {
        self.at = self.first.load(Ordering::Relaxed);
        &self.ways[self.at % self.ways.len()]
    }

    /// Moves on to another variant, or returns the error if that does not help.
    fn failed(&mut self, error: Error) -> Result<(), Error> {
        self.left -= 1;
        let moves = moves_on(error.kind());
        if moves {
            let next = self.at.wrapping_add(1);
            // If this fails, another request has moved on already.
            let _ =
                self.first.compare_exchange(self.at, next, Ordering::Relaxed, Ordering::Relaxed);
        }
        if !moves || self.left == 0 {
            return Err(error.with_sent(self.spent));
        }
        self.spent += error.sent();
        Ok(())
    }
}

const fn moves_on(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Rate | ErrorKind::Auth)
}
