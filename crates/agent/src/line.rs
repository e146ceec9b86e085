use std::future::pending;
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, Deltas, Error, ErrorKind, Provider, Request, Session};
use tokio::time::timeout;

/// How a run talks to its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the seeds name these")]
pub enum Mode {
    /// Each step is a request of its own, with the whole conversation.
    Replay,
    /// One connection a run, over which only what is new is sent. Where it ends between two
    /// answers, one more is tried with the whole conversation; else the run fails with it.
    Resume,
    /// As `Resume` where the model offers it. Where it does not, or the connection fails, the run
    /// goes on as `Replay` from the log, and tries another connection a step later; one that was
    /// refused is not tried again.
    #[default]
    Auto,
}

/// The way to the model, and the answer that comes over it.
pub(crate) struct Line<'a> {
    provider: &'a dyn Provider,
    mode: Mode,
    answer: Answer,
    session: Option<Open>,
    /// The last session failed in the middle of an answer: the next request goes without one.
    failed: bool,
    /// No session could be opened, and none will be.
    refused: bool,
    /// Bytes sent to sessions that failed before they answered.
    lost: u64,
}

enum Answer {
    None,
    Stream(Deltas),
    Session,
}

struct Open {
    session: Box<dyn Session>,
    /// How many messages the model was sent; its answer to them follows.
    sent: usize,
}

impl<'a> Line<'a> {
    pub(crate) const fn new(provider: &'a dyn Provider, mode: Mode) -> Self {
        Self {
            provider,
            mode,
            answer: Answer::None,
            session: None,
            failed: false,
            refused: false,
            lost: 0,
        }
    }

    /// Asks for an answer. The first of the messages never change; behind those that were sent come
    /// the model's answer, as far as it counts, and what is new.
    pub(crate) async fn ask(&mut self, request: Request) -> Result<(), Error> {
        self.hang_up().await;
        let without = std::mem::take(&mut self.failed) || self.refused;
        let goes_without = without && self.mode == Mode::Auto;
        if self.mode != Mode::Replay && !goes_without {
            match self.resume(&request).await {
                Ok(()) => {
                    self.answer = Answer::Session;
                    return Ok(());
                }
                Err(error) if self.mode == Mode::Resume => return Err(error),
                Err(error) => {
                    self.session = None;
                    self.lost += error.sent();
                }
            }
        }
        self.answer = Answer::Stream(self.provider.stream(request));
        Ok(())
    }

    /// Over the open session, or over a new one.
    async fn resume(&mut self, request: &Request) -> Result<(), Error> {
        let messages = &request.messages;
        if let Some(Open { session, sent }) = &mut self.session
            && let Some((Message { role: Role::Assistant, content }, new)) =
                messages.get(*sent..).and_then(<[Message]>::split_first)
            && !new.is_empty()
        {
            match session.send(content, new).await {
                Ok(()) => {
                    *sent = messages.len();
                    return Ok(());
                }
                // A run without another way goes on over another session.
                Err(error) if self.mode == Mode::Resume => self.lost += error.sent(),
                Err(error) => return Err(error),
            }
        }
        self.close().await;
        let Some(opening) = self.provider.connect(request.clone()) else {
            let name = self.provider.name();
            let why = format!("`{name}` offers no session; ask it in the mode replay");
            return Err(Error::new(ErrorKind::Refused, why));
        };
        let opened = opening.await;
        self.refused = opened.as_ref().is_err_and(|error| !error.is_retryable());
        self.session = Some(Open { session: opened?, sent: messages.len() });
        Ok(())
    }

    /// Bytes that were sent for nothing since this was asked last.
    pub(crate) const fn take_lost(&mut self) -> u64 {
        std::mem::replace(&mut self.lost, 0)
    }

    /// Whether an answer is coming.
    pub(crate) const fn is_answering(&self) -> bool {
        !matches!(self.answer, Answer::None)
    }

    /// The next delta of it. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<Result<Delta, Error>> {
        let delta = match &mut self.answer {
            Answer::None => pending().await,
            Answer::Stream(deltas) => deltas.next().await,
            Answer::Session => self.session.as_mut()?.session.receive().await,
        };
        if !matches!(delta, Some(Ok(_))) && matches!(self.answer, Answer::Session) {
            self.failed = true;
        }
        delta
    }

    /// Whether the answer was lost with its session, so that the run may go on without.
    pub(crate) fn may_go_on(&self) -> bool {
        self.failed && self.mode == Mode::Auto
    }

    /// No more of the answer is wanted: the model stops writing.
    pub(crate) async fn hang_up(&mut self) {
        let answer = std::mem::replace(&mut self.answer, Answer::None);
        if let (Answer::Session, Some(open)) = (answer, &mut self.session) {
            let cancelled = timeout(LEAVE, open.session.cancel()).await;
            if self.failed || !matches!(cancelled, Ok(Ok(()))) {
                self.session = None;
            }
        }
    }

    /// The run is over.
    pub(crate) async fn close(&mut self) {
        self.answer = Answer::None;
        if let Some(open) = self.session.take() {
            // Whoever does not listen is left.
            let _ = timeout(LEAVE, open.session.close()).await;
        }
    }
}

/// How long taking leave may take.
const LEAVE: Duration = Duration::from_secs(1);
