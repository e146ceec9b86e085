//! A session over a WebSocket, for every API that has one.
//!
//! This module decides when an answer begins, ends, falls silent or is cancelled, and when a
//! connection is too old for another question. The API's [`WebSocketProtocol`] interprets the
//! texts. `state` has the states and their transitions.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event as event;
use silcrow_provider::{Attempt, Delta, Error, Request, Session, SilenceLimits};
use tokio::time::{Instant, timeout_at};

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::error::Peer;
use crate::protocol::{AnswerProgress, LastAnswer, OutgoingTexts, WebSocketProtocol};
use crate::timeouts::Timeouts;
use crate::written::WrittenAnswer;
use crate::ws::{Disconnect, Socket};

mod single;
mod state;

pub(crate) use single::deltas;
use state::SessionState;

/// A session over a WebSocket. Nothing is sent after an error.
pub(crate) struct WebSocketSession<T> {
    socket: Socket,
    peer: Arc<Peer>,
    protocol: T,
    timeouts: Timeouts,
    streaming: bool,
    attempt: Attempt,
    opened: Instant,
    state: SessionState,
    texts: OutgoingTexts,
    queue: DeltaQueue,
    /// The text and calls of the current answer, emitted or not.
    written: WrittenAnswer,
    /// The time since which the caller has waited for the next delta.
    waiting: Option<Instant>,
    /// The number of bytes of the question.
    sent: u64,
    /// Whether a delta of the answer has reported those bytes.
    is_sent_reported: bool,
}

/// Opens a session and asks for the first answer.
pub(crate) async fn open<T: WebSocketProtocol>(
    socket: Socket,
    peer: Arc<Peer>,
    timeouts: Timeouts,
    protocol: T,
    request: Request,
) -> Result<Box<dyn Session>, Error> {
    let mut session = WebSocketSession {
        socket,
        peer,
        protocol,
        timeouts,
        streaming: request.streaming,
        attempt: request.attempt,
        opened: Instant::now(),
        state: SessionState::Idle,
        texts: OutgoingTexts::new(),
        queue: DeltaQueue::new(),
        written: WrittenAnswer::default(),
        waiting: None,
        sent: 0,
        is_sent_reported: false,
    };
    session.protocol.begin(&request.messages, &mut session.texts);
    session.ask().await?;
    Ok(Box::new(session))
}

impl<T: WebSocketProtocol> Session for WebSocketSession<T> {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        self.next().boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.stop().boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a event::Content,
        messages: &'a [event::Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.follow(kept, messages).boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.socket.close().boxed()
    }
}

impl<T: WebSocketProtocol> WebSocketSession<T> {
    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            // An answer that does not stream is emitted when it is over.
            if (self.streaming || self.state.is_over())
                && let Some(item) = self.queue.pop_front()
            {
                self.waiting = None;
                self.state.emit();
                return Some(item);
            }
            if !self.state.is_wanted() {
                return None;
            }
            let start = *self.waiting.get_or_insert_with(Instant::now);
            self.wait(start).await;
        }
    }

    async fn follow(
        &mut self,
        kept: &event::Content,
        messages: &[event::Message],
    ) -> Result<(), Error> {
        self.stop().await?;
        self.drain().await;
        self.catch_up();
        self.check()?;
        if self.is_old() {
            return Err(self.peer.retired());
        }
        let last = LastAnswer { kept, is_all: self.written.is_all(kept) };
        let asked = self.protocol.follow(last, messages, &mut self.texts);
        asked.ok_or_else(|| self.peer.unforgetting())?;
        self.ask().await
    }

    /// Sends the question and waits until the server accepts it. After an error before that, the
    /// caller may ask in another way.
    async fn ask(&mut self) -> Result<(), Error> {
        self.state = SessionState::Asked(AnswerBuilder::new(Arc::clone(&self.peer)));
        self.written.clear();
        (self.sent, self.is_sent_reported) = (0, false);
        let start = Instant::now();
        self.waiting = Some(start);
        while let SessionState::Asked(_) = self.state {
            self.wait(start).await;
        }
        match self.queue.pop_front_if(|item| item.is_err()) {
            Some(Err(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Cancels the answer. The rest of it is read before the next question, so the caller does not
    /// wait for it now.
    async fn stop(&mut self) -> Result<(), Error> {
        if self.state.cancel() {
            self.protocol.cancel(&mut self.texts);
            self.socket.send(&mut self.texts, &mut self.sent).await;
        }
        self.check()
    }

    /// Reads the rest of a cancelled answer.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        let limit = self.written.len() + DRAINED;
        while let SessionState::Cancelled(_) = self.state {
            if !self.receive_by(deadline).await || self.written.len() > limit {
                self.fail(self.peer.endless());
            }
            self.queue.retain(Result::is_err);
        }
    }

    /// Returns the error that ended the session, if one did, and drops queued deltas.
    fn check(&mut self) -> Result<(), Error> {
        match self.queue.drain(..).find_map(Result::err) {
            Some(error) => Err(error),
            None if matches!(self.state, SessionState::Failed) => Err(self.peer.retired()),
            None => Ok(()),
        }
    }

    /// Waits for the next text since `start`, and fails if that takes too long. Cancel-safe.
    async fn wait(&mut self, start: Instant) {
        let mut deadline = self.deadline(start);
        while !self.receive_by(deadline).await {
            // Pings move the deadline.
            let extended = self.deadline(start);
            if extended == deadline {
                let SilenceLimits { first, first_total, idle, .. } =
                    self.timeouts.limits(self.streaming);
                return self.fail(match self.state {
                    SessionState::Streaming(_) => self.peer.fell_silent(idle),
                    _ if first_total > first && start.elapsed() >= first_total => {
                        self.peer.undecided(first_total)
                    }
                    _ => self.peer.silent(self.longest_silence(first)),
                });
            }
            deadline = extended;
        }
    }

    /// Returns the time at which a wait that began at `start` exceeds the limits.
    fn deadline(&self, start: Instant) -> Instant {
        let limits = self.timeouts.limits(self.streaming);
        match self.state {
            SessionState::Streaming(_) => start + limits.idle,
            _ if self.may_ask_otherwise() => start + self.longest_silence(limits.first),
            _ => self.socket.activity.deadline(start, limits),
        }
    }

    /// Returns the time for which the server may be silent before the first delta. `first` is the
    /// limit once it has accepted the question.
    fn longest_silence(&self, first: Duration) -> Duration {
        if self.may_ask_otherwise() { first.min(ACCEPTANCE) } else { first }
    }

    /// Returns whether the caller may still ask in another way, so that a long wait is not worth
    /// it.
    const fn may_ask_otherwise(&self) -> bool {
        matches!((&self.state, self.attempt), (SessionState::Asked(_), Attempt::Only))
    }

    /// Sends the waiting texts, and returns whether a text arrived before the deadline.
    /// Cancel-safe.
    async fn receive_by(&mut self, deadline: Instant) -> bool {
        let Self { socket, texts, sent, .. } = self;
        let received = timeout_at(deadline, async {
            socket.send(texts, sent).await;
            socket.next().await
        });
        let received = received.await;
        let has_arrived = received.is_ok();
        received.into_iter().for_each(|received| self.push(received));
        has_arrived
    }

    /// Takes the messages since the last answer, such as the end of the connection.
    fn catch_up(&mut self) {
        while let SessionState::Idle = self.state
            && let Some(received) = self.socket.received()
        {
            // It does not belong to an answer that the caller waits for.
            self.state = SessionState::Cancelled(AnswerBuilder::new(Arc::clone(&self.peer)));
            self.push(received);
            self.state.finish();
        }
    }

    fn push(&mut self, received: Result<String, Disconnect>) {
        match received {
            Ok(data) => self.push_event(&data),
            Err(disconnect) => {
                let error = self.protocol.disconnected(&self.peer, disconnect);
                self.fail(error);
            }
        }
    }

    fn push_event(&mut self, data: &str) {
        let Some(answer) = self.state.answer() else { return };
        let before = self.queue.len();
        let progress = self.protocol.event(data, answer, &mut self.queue, &mut self.texts);
        match progress {
            Ok(AnswerProgress::None) => {}
            Ok(AnswerProgress::Accepted) => self.state.accept(),
            Ok(AnswerProgress::Finished) => self.finish(),
            Err(EventError::Json(error)) => self.fail(self.peer.no_event(data, &error)),
            Err(EventError::Failed(error)) => self.fail(error),
        }
        for delta in self.queue.iter().skip(before).flatten() {
            self.written.push(delta);
        }
        if !self.streaming && self.state.is_over() {
            join(&mut self.queue);
        }
        // The bytes are reported early, for a caller that hangs up before the end.
        let is_open = self.streaming && !self.state.is_over();
        if is_open && !self.is_sent_reported && self.queue.len() > before {
            self.is_sent_reported = true;
            let usage = event::Usage { sent_bytes: self.sent, ..event::Usage::default() };
            self.queue.push_back(Ok(Delta::Usage(usage)));
        }
    }

    /// Completes the answer. One that was cancelled needs no finish reason.
    fn finish(&mut self) {
        let Some(mut answer) = self.state.finish() else { return };
        let usage = answer.usage.unwrap_or_default();
        answer.usage = Some(event::Usage { sent_bytes: self.sent, ..usage });
        answer.close(None, &mut self.queue);
        if self.queue.back().is_some_and(Result::is_err) {
            self.state = SessionState::Failed;
        }
    }

    fn fail(&mut self, error: Error) {
        self.state = SessionState::Failed;
        let unreported = if self.is_sent_reported { 0 } else { self.sent };
        self.queue.push_back(Err(error.with_sent(unreported)));
    }

    /// Returns whether the server will soon end the connection.
    fn is_old(&self) -> bool {
        let lifetime = self.protocol.expires().map_or(T::LIFETIME, |at| {
            let announced = at.duration_since(self.socket.opened).unwrap_or_default();
            announced.saturating_sub(MARGIN).min(T::LIFETIME)
        });
        self.opened.elapsed() >= lifetime
    }
}

/// Joins neighbouring texts in the queue.
fn join(queue: &mut DeltaQueue) {
    let mut joined = DeltaQueue::new();
    for item in queue.drain(..) {
        match (joined.back_mut(), item) {
            (Some(Ok(Delta::Text(text))), Ok(Delta::Text(more))) => text.push_str(&more),
            (_, item) => joined.push_back(item),
        }
    }
    *queue = joined;
}

/// The time limit for reading the rest of a cancelled answer.
const DRAIN: Duration = Duration::from_secs(5);

/// The number of bytes that are read of the rest of a cancelled answer.
const DRAINED: usize = 1 << 20;

/// The time limit for accepting a question that may be asked in another way.
const ACCEPTANCE: Duration = Duration::from_secs(60);

/// The time before its end from which a connection is no longer used.
const MARGIN: Duration = Duration::from_secs(5 * 60);
