//! The connection of a run to its model: one request for each step, or a session over which only
//! new messages are sent.
//!
//! A connection has either no session or an open one. It remembers the messages that the model of
//! an open session has. When a request does not begin with them, the connection closes the session
//! and opens another with the whole conversation.

use std::collections::hash_map::RandomState;
use std::future::pending;
use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, MessagePrefix, Role};
use silcrow_provider::{
    Attempt, Delta, DeltaStream, Error, ErrorKind, Provider, Request, RetryPolicy, Session,
    ToolDeclaration,
};
use tokio::time::{Instant, sleep_until, timeout};

use crate::options::ConnectionMode;

/// The connection to a model, and its current answer.
pub(crate) struct ModelConnection<'a> {
    provider: &'a dyn Provider,
    mode: ConnectionMode,
    answer: DeltaSource,
    session: Option<OpenSession>,
    /// The key of the fingerprints.
    hasher: RandomState,
    /// The failure of the last session in the middle of its answer. In the mode `auto` the next
    /// request is sent without a session.
    failed: Option<LostAnswer>,
    /// The number of sessions that failed in a row.
    failures: u32,
    /// Whether no other session is tried.
    gave_up: bool,
    /// The earliest time of the next request.
    held_until: Option<Instant>,
    /// The number of bytes sent to sessions that failed before they answered.
    lost: u64,
}

/// The source of the current answer.
enum DeltaSource {
    None,
    Stream(DeltaStream),
    Session,
}

/// An answer that was lost with its session.
#[derive(Clone, Copy)]
enum LostAnswer {
    /// The connection failed.
    Transport,
    /// The server failed, and may be asked again.
    Server,
    /// Asking again does not help.
    Refused,
}

struct OpenSession {
    session: Box<dyn Session>,
    /// The fingerprint of each message that the model has, in order.
    known: Vec<u64>,
    /// The messages that were settled in the last request.
    settled: MessagePrefix,
    /// The tools of the first request, which the model calls in the vendor's own way.
    tools: Arc<[ToolDeclaration]>,
}

impl<'a> ModelConnection<'a> {
    pub(crate) fn new(provider: &'a dyn Provider, mode: ConnectionMode) -> Self {
        Self {
            provider,
            mode,
            answer: DeltaSource::None,
            session: None,
            hasher: RandomState::new(),
            failed: None,
            failures: 0,
            gave_up: false,
            held_until: None,
            lost: 0,
        }
    }

    /// Asks for an answer.
    ///
    /// An open session is used if the request consists of the messages that the model has, the part
    /// of the model's last answer that was read, and at least one new message.
    pub(crate) async fn ask(&mut self, mut request: Request) -> Result<(), Error> {
        self.hang_up().await;
        self.held().await;
        let mut lost = self.failed.take();
        if self.tries_session(lost) {
            if self.mode == ConnectionMode::Auto {
                request.attempt = Attempt::Only;
            }
            match self.resume(&request).await {
                Ok(true) => {
                    self.answer = DeltaSource::Session;
                    return Ok(());
                }
                Ok(false) if self.mode == ConnectionMode::Resume => {
                    let name = self.provider.name();
                    let why = format!("`{name}` does not offer sessions; use the mode replay");
                    return Err(Error::new(ErrorKind::Refused, why));
                }
                Ok(false) => self.gave_up = true,
                Err(error) if self.mode == ConnectionMode::Resume => return Err(error),
                Err(error) => {
                    self.session = None;
                    lost = Some(self.note(Some(&error)));
                    if matches!(lost, Some(LostAnswer::Refused)) {
                        return Err(error);
                    }
                    self.lost += error.sent();
                }
            }
        }
        request.attempt = match lost {
            Some(LostAnswer::Server) => Attempt::Second,
            _ => Attempt::First,
        };
        self.held().await;
        self.answer = DeltaSource::Stream(self.provider.stream(request));
        Ok(())
    }

    /// Returns whether a session is tried after an answer that was lost in this way.
    const fn tries_session(&self, lost: Option<LostAnswer>) -> bool {
        match self.mode {
            ConnectionMode::Replay => false,
            ConnectionMode::Resume => true,
            ConnectionMode::Auto => lost.is_none() && !self.gave_up,
        }
    }

    /// Records that a session failed. Without an error, it ended too early.
    fn note(&mut self, error: Option<&Error>) -> LostAnswer {
        let kind = error.map_or(ErrorKind::Cut, Error::kind);
        self.failures += 1;
        // A second silent session would cost too much time, and a server that does not speak the
        // protocol will not do so next time.
        self.gave_up |= self.failures >= MOST_FAILURES
            || matches!(kind, ErrorKind::Timeout | ErrorKind::Malformed);
        match error {
            Some(error) if !error.is_transport() => {
                if !error.is_retryable() || !is_soon(error) {
                    return LostAnswer::Refused;
                }
                self.hold(error.retry_after().unwrap_or_default());
                LostAnswer::Server
            }
            _ => LostAnswer::Transport,
        }
    }

    /// Delays the next request.
    pub(crate) fn hold(&mut self, pause: Duration) {
        self.held_until = Some(Instant::now() + pause);
    }

    /// Waits until the next request is allowed. Cancel-safe.
    async fn held(&mut self) {
        if let Some(until) = self.held_until {
            sleep_until(until).await;
            self.held_until = None;
        }
    }

    /// Asks over the open session or a new one, and returns whether the model offers sessions. A
    /// session cannot forget, so a change of the model's history or of the tools needs a new one.
    async fn resume(&mut self, request: &Request) -> Result<bool, Error> {
        let messages = &request.messages;
        let fingerprint = |message: &Message| self.hasher.hash_one(message);
        if let Some(OpenSession { session, known, settled, tools }) = &mut self.session
            && *tools == request.tools
            && let Some((same, rest)) = messages.split_at_checked(known.len())
            && let repeated = messages.repeated(settled).min(known.len())
            && same[repeated..].iter().map(fingerprint).eq(known[repeated..].iter().copied())
            && let Some((Message { role: Role::Assistant, content, .. }, new)) = rest.split_first()
            && !new.is_empty()
        {
            match session.send(content, new).await {
                Ok(()) => {
                    known.extend(rest.iter().map(fingerprint));
                    *settled = messages.settled();
                    return Ok(true);
                }
                // A run that has no other way continues over another session.
                Err(error) if self.mode == ConnectionMode::Resume && error.is_transport() => {
                    self.lost += error.sent();
                }
                Err(error) => return Err(error),
            }
        }
        let (known, settled) = (messages.iter().map(fingerprint).collect(), messages.settled());
        self.close().await;
        let Some(opening) = self.provider.connect(request.clone()) else { return Ok(false) };
        let tools = Arc::clone(&request.tools);
        self.session = Some(OpenSession { session: opening.await?, known, settled, tools });
        Ok(true)
    }

    /// Returns the number of bytes sent to failed sessions since the last call.
    pub(crate) const fn take_lost(&mut self) -> u64 {
        std::mem::replace(&mut self.lost, 0)
    }

    /// Returns whether an answer is being received.
    pub(crate) const fn is_answering(&self) -> bool {
        !matches!(self.answer, DeltaSource::None)
    }

    /// Returns whether the answer comes over a session, which can stop it without losing the
    /// model's history.
    pub(crate) const fn has_session(&self) -> bool {
        matches!(self.answer, DeltaSource::Session)
    }

    /// Waits for the next delta of the answer. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<Result<Delta, Error>> {
        let delta = match &mut self.answer {
            DeltaSource::None => pending().await,
            DeltaSource::Stream(deltas) => deltas.next().await,
            DeltaSource::Session => self.session.as_mut()?.session.receive().await,
        };
        if matches!(self.answer, DeltaSource::Session) {
            match &delta {
                Some(Ok(_)) => {}
                Some(Err(error)) => self.failed = Some(self.note(Some(error))),
                None => self.failed = Some(self.note(None)),
            }
        }
        delta
    }

    /// Returns whether the answer was lost with its session and the run may continue with an
    /// ordinary request.
    pub(crate) fn may_continue(&self) -> bool {
        let may = matches!(self.failed, Some(LostAnswer::Transport | LostAnswer::Server));
        may && self.mode == ConnectionMode::Auto
    }

    /// Ends the answer: the model stops writing.
    pub(crate) async fn hang_up(&mut self) {
        let answer = std::mem::replace(&mut self.answer, DeltaSource::None);
        if let (DeltaSource::Session, Some(open)) = (answer, &mut self.session) {
            let cancelled = timeout(LEAVE, open.session.cancel()).await;
            if self.failed.is_some() || !matches!(cancelled, Ok(Ok(()))) {
                self.session = None;
            } else {
                self.failures = 0;
            }
        }
    }

    /// Closes the session, at the end of a run.
    pub(crate) async fn close(&mut self) {
        self.answer = DeltaSource::None;
        if let Some(open) = self.session.take() {
            // The run does not wait longer for a server that does not respond.
            let _ = timeout(LEAVE, open.session.close()).await;
        }
    }
}

/// Returns whether the wait that a server asks for is short enough to be obeyed.
pub(crate) fn is_soon(error: &Error) -> bool {
    let longest = RetryPolicy::default().longest_wait;
    error.retry_after().is_none_or(|wait| wait <= longest)
}

/// The time limit for closing a session.
const LEAVE: Duration = Duration::from_secs(1);

/// The number of failures in a row after which no other session is tried.
const MOST_FAILURES: u32 = 2;
