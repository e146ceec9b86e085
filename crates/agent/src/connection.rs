//! The connection of a run to its model: a request a step, or a session over which only what is
//! new is sent.
//!
//! A connection has no session, or one that is open. With an open session it knows what the model
//! was told; as soon as the model should have been told something else, it closes the session and
//! opens another with the whole conversation.

use std::collections::hash_map::RandomState;
use std::future::pending;
use std::hash::BuildHasher as _;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, Role};
use silcrow_provider::{
    Attempt, Delta, DeltaStream, Error, ErrorKind, Provider, Request, Retries, Session,
};
use tokio::time::{Instant, sleep_until, timeout};

use crate::options::ConnectionMode;

/// The way to the model, and the answer that comes over it.
pub(crate) struct ModelConnection<'a> {
    provider: &'a dyn Provider,
    mode: ConnectionMode,
    answer: PendingAnswer,
    session: Option<OpenSession>,
    /// The key of the fingerprints.
    hasher: RandomState,
    /// Why the last session failed in the middle of its answer: the next request goes without one.
    failed: Option<LostAnswer>,
    /// Sessions that failed since one answered.
    failures: u32,
    /// No session is tried any more.
    gave_up: bool,
    /// The server is not asked before then.
    held_until: Option<Instant>,
    /// Bytes sent to sessions that failed before they answered.
    lost: u64,
}

/// Where the answer comes from.
enum PendingAnswer {
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
    /// The fingerprint of each message that the model was told, in order.
    told: Vec<u64>,
}

impl<'a> ModelConnection<'a> {
    pub(crate) fn new(provider: &'a dyn Provider, mode: ConnectionMode) -> Self {
        Self {
            provider,
            mode,
            answer: PendingAnswer::None,
            session: None,
            hasher: RandomState::new(),
            failed: None,
            failures: 0,
            gave_up: false,
            held_until: None,
            lost: 0,
        }
    }

    /// Asks for an answer. A session continues if the messages begin with what the model was told,
    /// continue with its answer, as far as it counts, and end with what is new.
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
                    self.answer = PendingAnswer::Session;
                    return Ok(());
                }
                Ok(false) if self.mode == ConnectionMode::Resume => {
                    let name = self.provider.name();
                    let why = format!("`{name}` offers no session; ask it in the mode replay");
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
        self.answer = PendingAnswer::Stream(self.provider.stream(request));
        Ok(())
    }

    /// Whether a session is asked, after one that was lost so.
    const fn tries_session(&self, lost: Option<LostAnswer>) -> bool {
        match self.mode {
            ConnectionMode::Replay => false,
            ConnectionMode::Resume => true,
            ConnectionMode::Auto => lost.is_none() && !self.gave_up,
        }
    }

    /// Takes note of a session that failed; without an error it ended too early.
    fn note(&mut self, error: Option<&Error>) -> LostAnswer {
        let kind = error.map_or(ErrorKind::Cut, Error::kind);
        self.failures += 1;
        // Silence costs too long to be tried twice, and what speaks something else goes on so.
        self.gave_up |= self.failures >= MOST_FAILURES
            || matches!(kind, ErrorKind::Timeout | ErrorKind::Malformed);
        match error {
            Some(error) if !error.is_transport() => {
                if !error.is_retryable() || !is_soon(error) {
                    return LostAnswer::Refused;
                }
                self.hold(error.wait().unwrap_or_default());
                LostAnswer::Server
            }
            _ => LostAnswer::Transport,
        }
    }

    /// Asks the server nothing for as long.
    pub(crate) fn hold(&mut self, pause: Duration) {
        self.held_until = Some(Instant::now() + pause);
    }

    /// Waits until the server may be asked. Cancel-safe.
    async fn held(&mut self) {
        if let Some(until) = self.held_until {
            sleep_until(until).await;
            self.held_until = None;
        }
    }

    /// Asks over the open session, or over a new one; returns whether the model offers any. What a
    /// session was told cannot be taken back, so a history that differs from it opens a new one.
    async fn resume(&mut self, request: &Request) -> Result<bool, Error> {
        let messages = &request.messages;
        let fingerprints: Vec<_> =
            messages.iter().map(|message| self.hasher.hash_one(message)).collect();
        if let Some(OpenSession { session, told }) = &mut self.session
            && fingerprints.starts_with(told)
            && let Some((Message { role: Role::Assistant, content, .. }, new)) =
                messages[told.len()..].split_first()
            && !new.is_empty()
        {
            match session.send(&content.text(), new).await {
                Ok(()) => {
                    *told = fingerprints;
                    return Ok(true);
                }
                // A run without another way goes on over another session.
                Err(error) if self.mode == ConnectionMode::Resume && error.is_transport() => {
                    self.lost += error.sent();
                }
                Err(error) => return Err(error),
            }
        }
        self.close().await;
        let Some(opening) = self.provider.connect(request.clone()) else { return Ok(false) };
        self.session = Some(OpenSession { session: opening.await?, told: fingerprints });
        Ok(true)
    }

    /// Bytes that were sent for nothing since this was asked last.
    pub(crate) const fn take_lost(&mut self) -> u64 {
        std::mem::replace(&mut self.lost, 0)
    }

    /// Whether an answer is coming.
    pub(crate) const fn is_answering(&self) -> bool {
        !matches!(self.answer, PendingAnswer::None)
    }

    /// The next delta of it. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<Result<Delta, Error>> {
        let delta = match &mut self.answer {
            PendingAnswer::None => pending().await,
            PendingAnswer::Stream(deltas) => deltas.next().await,
            PendingAnswer::Session => self.session.as_mut()?.session.receive().await,
        };
        if matches!(self.answer, PendingAnswer::Session) {
            match &delta {
                Some(Ok(_)) => {}
                Some(Err(error)) => self.failed = Some(self.note(Some(error))),
                None => self.failed = Some(self.note(None)),
            }
        }
        delta
    }

    /// Whether the answer was lost with its session, so that the run may go on without.
    pub(crate) fn may_continue(&self) -> bool {
        let may = matches!(self.failed, Some(LostAnswer::Transport | LostAnswer::Server));
        may && self.mode == ConnectionMode::Auto
    }

    /// No more of the answer is wanted: the model stops writing.
    pub(crate) async fn hang_up(&mut self) {
        let answer = std::mem::replace(&mut self.answer, PendingAnswer::None);
        if let (PendingAnswer::Session, Some(open)) = (answer, &mut self.session) {
            let cancelled = timeout(LEAVE, open.session.cancel()).await;
            if self.failed.is_some() || !matches!(cancelled, Ok(Ok(()))) {
                self.session = None;
            } else {
                self.failures = 0;
            }
        }
    }

    /// The run is over.
    pub(crate) async fn close(&mut self) {
        self.answer = PendingAnswer::None;
        if let Some(open) = self.session.take() {
            // Whoever does not listen is left.
            let _ = timeout(LEAVE, open.session.close()).await;
        }
    }
}

/// Whether the server asks for no longer a wait than is obeyed.
pub(crate) fn is_soon(error: &Error) -> bool {
    let longest = Retries::default().longest_wait;
    error.wait().is_none_or(|wait| wait <= longest)
}

/// How long taking leave may take.
const LEAVE: Duration = Duration::from_secs(1);

/// Sessions that may fail in a row before no other is tried.
const MOST_FAILURES: u32 = 2;
