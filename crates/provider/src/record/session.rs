//! Recording and replay of sessions.

use std::collections::VecDeque;
use std::future::pending;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Content, Message};

use super::is_last;
use super::line::{RecordedDelta, RecordedEnd, RecordedLine, RecordedRequest};
use super::replay::UnplayedLines;
use super::writer::{OpenLine, RecordingWriter};
use crate::delta::Delta;
use crate::error::{Error, ErrorKind};
use crate::session::{OpeningSession, Session};

/// Opens a session and records it.
pub(crate) async fn record(
    opening: OpeningSession,
    writer: RecordingWriter,
    asked: RecordedRequest,
) -> Result<Box<dyn Session>, Error> {
    // The name is random, because other runs may be recorded to the same file.
    let name = format!("{:016x}", RandomState::new().hash_one(0));
    let streaming = asked.streaming;
    let mut open = writer.open(Some(name.clone()), asked);
    match opening.await {
        Ok(session) => Ok(Box::new(RecordingSession { session, writer, name, streaming, open })),
        Err(error) => Err(open.failed(error).expect_err("it gives an error")),
    }
}

struct RecordingSession {
    session: Box<dyn Session>,
    writer: RecordingWriter,
    name: String,
    streaming: bool,
    /// The line of the current answer.
    open: OpenLine,
}

impl Session for RecordingSession {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        async {
            let Some(item) = self.session.receive().await else {
                return self.open.ended(RecordedEnd::Cut).err().map(Err);
            };
            Some(self.open.push(&item).and(item))
        }
        .boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        async {
            let cancelled = self.session.cancel().await;
            match cancelled {
                Ok(()) => self.open.write(),
                Err(_) => self.open.ended(RecordedEnd::Lost).and(cancelled),
            }
        }
        .boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            self.open.write()?;
            let asked =
                RecordedRequest::sent(self.streaming, &kept.text(), messages, &self.writer.secrets);
            self.open = self.writer.open(Some(self.name.clone()), asked);
            match self.session.send(kept, messages).await {
                Ok(()) => Ok(()),
                Err(error) => self.open.failed(error),
            }
        }
        .boxed()
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        // The error has no receiver.
        let _ = self.open.write();
        self.session.close()
    }
}

/// A recorded session that is replayed.
pub(crate) struct ReplayedSession {
    left: Arc<UnplayedLines>,
    name: String,
    streaming: bool,
    answer: VecDeque<RecordedDelta>,
    ended: Option<RecordedEnd>,
}

impl ReplayedSession {
    /// Creates a session from the line of its opening, or returns the error recorded there.
    pub(crate) fn open(left: Arc<UnplayedLines>, line: RecordedLine) -> Result<Self, Error> {
        let (name, streaming) = (line.session.clone().unwrap_or_default(), line.request.streaming);
        let (answer, ended) = (VecDeque::new(), None);
        let mut played = Self { left, name, streaming, answer, ended };
        played.begin(line)?;
        Ok(played)
    }

    fn begin(&mut self, line: RecordedLine) -> Result<(), Error> {
        self.answer = line.answer.into();
        self.ended = line.ended;
        if self.ended == Some(RecordedEnd::Failed)
            && let Some(piece) = self.answer.pop_front()
        {
            return Result::<Delta, Error>::from(piece).map(drop);
        }
        Ok(())
    }
}

impl Session for ReplayedSession {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        async {
            let Some(piece) = self.answer.pop_front() else {
                return match self.ended {
                    Some(RecordedEnd::Cut) => None,
                    // The recorded run read no further, so neither does this one.
                    _ => pending().await,
                };
            };
            let item = piece.into();
            if is_last(&item) {
                self.ended = Some(RecordedEnd::Cut);
            }
            Some(item)
        }
        .boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        async {
            self.answer.clear();
            match self.ended {
                Some(RecordedEnd::Lost) => {
                    let why = "the recorded session could not be stopped here";
                    Err(Error::new(ErrorKind::Recording, why))
                }
                _ => Ok(()),
            }
        }
        .boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            let asked =
                RecordedRequest::sent(self.streaming, &kept.text(), messages, &self.left.secrets);
            let line = self.left.next(&self.name, &asked)?;
            self.begin(line)
        }
        .boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}
