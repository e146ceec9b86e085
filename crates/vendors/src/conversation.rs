use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event as event;
use silcrow_provider::{
    Attempt, Delta, DeltaStream, Error, OpeningSession, Request, Session, SilenceLimits,
};
use tokio::time::{Instant, timeout_at};

use crate::answer::{Answer, Broken, Out};
use crate::error::Peer;
use crate::http::Timeouts;
use crate::talk::{Heard, Last, Talk, Texts};
use crate::ws::{Gone, Socket};

/// A conversation over a WebSocket: the session of every API that has one.
///
/// An error is its last word. Nothing is sent after one.
pub(crate) struct Conversation<T> {
    socket: Socket,
    peer: Arc<Peer>,
    talk: T,
    timeouts: Timeouts,
    streaming: bool,
    since: Instant,
    texts: Texts,
    out: Out,
    /// The answer at hand.
    answer: Option<Answer>,
    /// What the model wrote in it, given out or not.
    written: String,
    /// The server has taken the question up.
    begun: bool,
    /// No delta of the answer was given out yet.
    fresh: bool,
    /// No more of it is given out.
    unwanted: bool,
    /// Since when the next delta is waited for.
    waiting: Option<Instant>,
    /// Whoever asked may ask in another way, and does not wait long for the question to be taken up.
    has_other_way: bool,
    /// Bytes of the question, and whether a delta has told them.
    sent: u64,
    told: bool,
    failed: bool,
}

/// Begins one and asks for the first answer.
pub(crate) async fn open<T: Talk>(
    socket: Socket,
    peer: Arc<Peer>,
    timeouts: Timeouts,
    talk: T,
    request: Request,
) -> Result<Box<dyn Session>, Error> {
    let mut conversation = Conversation {
        socket,
        peer,
        talk,
        timeouts,
        streaming: request.streaming,
        since: Instant::now(),
        texts: Texts::new(),
        out: Out::new(),
        answer: None,
        written: String::new(),
        begun: false,
        fresh: true,
        unwanted: false,
        waiting: None,
        has_other_way: request.attempt == Attempt::Only,
        sent: 0,
        told: false,
        failed: false,
    };
    conversation.talk.begin(&request.messages, &mut conversation.texts);
    conversation.ask().await?;
    Ok(Box::new(conversation))
}

/// One answer, over a conversation of its own.
pub(crate) fn deltas(opening: OpeningSession) -> DeltaStream {
    let answer = |opened| match opened {
        Ok(session) => stream::unfold(session, |mut session: Box<dyn Session>| async {
            match session.receive().await {
                Some(item) => Some((item, session)),
                None => {
                    session.close().await;
                    None
                }
            }
        })
        .boxed(),
        Err(error) => stream::iter([Err(error)]).boxed(),
    };
    stream::once(opening).flat_map(answer).boxed()
}

impl<T: Talk> Session for Conversation<T> {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        self.next().boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.stop().boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a str,
        messages: &'a [event::Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.follow(kept, messages).boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.socket.close().boxed()
    }
}

impl<T: Talk> Conversation<T> {
    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            // An answer that was asked for whole is given when it is over.
            if (self.streaming || self.answer.is_none())
                && let Some(item) = self.out.pop_front()
            {
                (self.waiting, self.fresh) = (None, false);
                return Some(item);
            }
            self.answer.as_ref().filter(|_| !self.unwanted)?;
            let start = *self.waiting.get_or_insert_with(Instant::now);
            self.wait(start).await;
        }
    }

    async fn follow(&mut self, kept: &str, messages: &[event::Message]) -> Result<(), Error> {
        self.stop().await?;
        self.drain().await;
        self.catch_up();
        self.usable()?;
        if self.is_old() {
            return Err(self.peer.retired());
        }
        let last = Last { kept, is_all: same(kept, &self.written) };
        let asked = self.talk.follow(last, messages, &mut self.texts);
        asked.ok_or_else(|| self.peer.unforgetting())?;
        self.ask().await
    }

    /// Sends what was asked, and waits until the server takes it up: until then a failure is one
    /// of asking, and whoever asked may ask in another way.
    async fn ask(&mut self) -> Result<(), Error> {
        self.answer = Some(Answer::new(Arc::clone(&self.peer)));
        self.written.clear();
        (self.begun, self.fresh, self.unwanted) = (false, true, false);
        (self.sent, self.told) = (0, false);
        let start = Instant::now();
        self.waiting = Some(start);
        while !self.begun && !self.failed {
            self.wait(start).await;
        }
        match self.out.pop_front_if(|item| item.is_err()) {
            Some(Err(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// No more of the answer is given. What still comes of it is read when the next one is asked
    /// for: until then tools may run, and nobody waits.
    async fn stop(&mut self) -> Result<(), Error> {
        if self.answer.is_some() && !self.unwanted {
            self.unwanted = true;
            self.talk.cancel(&mut self.texts);
            self.socket.send(&mut self.texts, &mut self.sent).await;
        }
        self.usable()
    }

    /// Reads the rest of an answer that nobody wants.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        let limit = self.written.len() + DRAINED;
        while self.answer.is_some() {
            if !self.hears(deadline).await || self.written.len() > limit {
                self.fail(self.peer.endless());
            }
            self.out.retain(Result::is_err);
        }
    }

    /// Whether it can be gone on with; what waits to be given out is dropped.
    fn usable(&mut self) -> Result<(), Error> {
        match self.out.drain(..).find_map(Result::err) {
            Some(error) => Err(error),
            None if self.failed => Err(self.peer.retired()),
            None => Ok(()),
        }
    }

    /// Waits for what comes next since `start`, and gives the answer up when that takes too long.
    /// Cancel-safe.
    async fn wait(&mut self, start: Instant) {
        let mut deadline = self.deadline(start);
        while !self.hears(deadline).await {
            // What is no text may have come meanwhile.
            let extended = self.deadline(start);
            if extended == deadline {
                let SilenceLimits { first, alive, idle } = self.timeouts.limits(self.streaming);
                return self.fail(match self.fresh {
                    false => self.peer.fell_silent(idle),
                    true if alive > first && start.elapsed() >= alive => self.peer.undecided(alive),
                    true => self.peer.silent(self.longest_silence(first)),
                });
            }
            deadline = extended;
        }
    }

    /// When a wait that began at `start` has been long enough.
    fn deadline(&self, start: Instant) -> Instant {
        let limits = self.timeouts.limits(self.streaming);
        match (self.fresh, self.begun || !self.has_other_way) {
            (true, true) => self.socket.activity.deadline(start, limits),
            (true, false) => start + self.longest_silence(limits.first),
            (false, _) => start + limits.idle,
        }
    }

    /// How long the server may give nothing, where it may be so long for the first piece.
    fn longest_silence(&self, first: Duration) -> Duration {
        if self.has_other_way && !self.begun { first.min(TAKEN_UP) } else { first }
    }

    /// Whether something came before the deadline. Cancel-safe.
    async fn hears(&mut self, deadline: Instant) -> bool {
        let Self { socket, texts, sent, .. } = self;
        let heard = timeout_at(deadline, async {
            socket.send(texts, sent).await;
            socket.next().await
        });
        let heard = heard.await;
        let came = heard.is_ok();
        heard.into_iter().for_each(|heard| self.take(heard));
        came
    }

    fn take(&mut self, heard: Result<String, Gone>) {
        match heard {
            Ok(data) => self.hear(&data),
            Err(gone) => {
                let error = self.talk.gone(&self.peer, gone);
                self.fail(error);
            }
        }
    }

    /// Takes in what came since the last answer, such as news of the connection's end.
    fn catch_up(&mut self) {
        self.unwanted = true;
        while let Some(heard) = self.socket.heard() {
            self.answer = Some(Answer::new(Arc::clone(&self.peer)));
            self.take(heard);
            self.answer = None;
        }
    }

    fn hear(&mut self, data: &str) {
        let Some(answer) = &mut self.answer else { return };
        let before = self.out.len();
        let heard = self.talk.event(data, answer, &mut self.out, &mut self.texts);
        match heard {
            Ok(Heard::Nothing) => {}
            Ok(Heard::Begun) => self.begun = true,
            Ok(Heard::Over) => self.end(),
            Err(Broken::Json(error)) => self.fail(self.peer.no_event(data, &error)),
            Err(Broken::Failed(error)) => self.fail(error),
        }
        for item in self.out.iter().skip(before) {
            if let Ok(Delta::Text(text)) = item {
                self.written.push_str(text);
            }
        }
        if !self.streaming && self.answer.is_none() {
            join(&mut self.out);
        }
        // Early, for whoever hangs up before the end.
        let is_open = self.streaming && self.answer.is_some();
        if is_open && !self.told && self.out.len() > before {
            self.told = true;
            let usage = event::Usage { sent: self.sent, ..event::Usage::default() };
            self.out.push_back(Ok(Delta::Usage(usage)));
        }
    }

    /// The answer is whole.
    fn end(&mut self) {
        self.begun = true;
        let Some(mut answer) = self.answer.take() else { return };
        // What was stopped from here ends otherwise than an answer does, and well.
        if self.unwanted {
            return;
        }
        let usage = answer.usage.unwrap_or_default();
        answer.usage = Some(event::Usage { sent: self.sent, ..usage });
        answer.close(None, &mut self.out);
        self.failed |= self.out.back().is_some_and(Result::is_err);
    }

    fn fail(&mut self, error: Error) {
        self.failed = true;
        self.answer = None;
        let untold = if self.told { 0 } else { self.sent };
        self.out.push_back(Err(error.after_sending(untold)));
    }

    /// Whether the server will soon end the connection.
    fn is_old(&self) -> bool {
        let lifetime = self.talk.expires().map_or(T::LIFETIME, |at| {
            let told = at.duration_since(self.socket.opened).unwrap_or_default();
            told.saturating_sub(MARGIN).min(T::LIFETIME)
        });
        self.since.elapsed() >= lifetime
    }
}

/// Whether two texts are the same but for white space: the log writes some of it in its own way.
pub(crate) fn same(one: &str, other: &str) -> bool {
    one.split_whitespace().flat_map(str::chars).eq(other.split_whitespace().flat_map(str::chars))
}

/// Makes one text of all its pieces.
fn join(out: &mut Out) {
    let mut joined = Out::new();
    for item in out.drain(..) {
        match (joined.back_mut(), item) {
            (Some(Ok(Delta::Text(text))), Ok(Delta::Text(more))) => text.push_str(&more),
            (_, item) => joined.push_back(item),
        }
    }
    *out = joined;
}

/// How long, and for how many bytes more, an answer is waited for that nobody wants any more.
const DRAIN: Duration = Duration::from_secs(5);
const DRAINED: usize = 1 << 20;

/// How long a question may wait to be taken up where it may be asked in another way.
const TAKEN_UP: Duration = Duration::from_secs(60);

/// How long before its end a connection is not gone on with.
const MARGIN: Duration = Duration::from_secs(5 * 60);
