//! A session whose failed requests are repeated.
//!
//! A [`RetriedSession`] is `Open` until the server rejects a request before the first delta. Then
//! it is `Opening` another session, and becomes `Open` again or `Failed`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Content, Message, Role};

use super::{RetryAttempts, open, reopen};
use crate::delta::Delta;
use crate::error::{Error, ErrorKind};
use crate::provider::{Provider, Request};
use crate::session::Session;

/// A session that repeats a request if the server rejects it before the first delta, over another
/// session with the whole conversation.
///
/// A connection that fails is not replaced, because that decision is the caller's.
pub(super) struct RetriedSession<P> {
    model: Arc<P>,
    state: RetriedState,
    /// The whole conversation so far.
    request: Request,
    /// The attempts at the current answer.
    tries: RetryAttempts,
    /// Whether a delta of the current answer has arrived.
    begun: bool,
}

/// The outcome of opening another session, with the attempts so far.
type ReopenResult = Result<(Box<dyn Session>, RetryAttempts), Error>;

enum RetriedState {
    Open(Box<dyn Session>),
    Opening(BoxFuture<'static, ReopenResult>),
    Failed,
}

impl<P: Provider + 'static> RetriedSession<P> {
    pub(super) fn new(
        session: Box<dyn Session>,
        model: Arc<P>,
        request: Request,
        tries: RetryAttempts,
    ) -> Self {
        Self { model, state: RetriedState::Open(session), request, tries, begun: false }
    }

    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            let session = match &mut self.state {
                RetriedState::Open(session) => session,
                RetriedState::Opening(_) => match self.reopened().await {
                    Ok(()) => continue,
                    Err(error) => return Some(Err(error)),
                },
                RetriedState::Failed => return None,
            };
            match session.receive().await {
                Some(Err(error)) if !self.begun && !error.is_transport() => self.reopen(error),
                mut item => {
                    if let Some(Ok(delta)) = &mut item {
                        self.begun = true;
                        if let Delta::Usage(usage) = delta {
                            usage.sent_bytes = usage.sent_bytes.saturating_add(self.tries.spent);
                        }
                    }
                    return item;
                }
            }
        }
    }

    async fn ask(&mut self, kept: &Content, messages: &[Message]) -> Result<(), Error> {
        self.request.messages.push(Message::new(Role::Assistant, kept.clone()));
        self.request.messages.extend(messages.iter().cloned());
        self.tries = self.tries.again();
        self.begun = false;
        match &mut self.state {
            RetriedState::Open(session) => match session.send(kept, messages).await {
                Err(error) if !error.is_transport() => {
                    self.reopen(error);
                    self.reopened().await
                }
                asked => asked,
            },
            RetriedState::Opening(_) | RetriedState::Failed => Err(gone()),
        }
    }

    /// Drops the failed session and begins to open another one, if that may help after this error.
    fn reopen(&mut self, error: Error) {
        let (model, request, mut tries) =
            (Arc::clone(&self.model), self.request.clone(), self.tries.clone());
        let opened = async move {
            tries.failed(error).await?;
            let opening = reopen(&*model, &request)?;
            open(opening, &*model, &request, tries).await
        };
        self.state = RetriedState::Opening(opened.boxed());
    }

    /// Waits until another session is open. Cancel-safe.
    async fn reopened(&mut self) -> Result<(), Error> {
        let RetriedState::Opening(opening) = &mut self.state else { return Ok(()) };
        let opened = opening.await;
        self.state = RetriedState::Failed;
        let (session, tries) = opened?;
        (self.state, self.tries) = (RetriedState::Open(session), tries);
        Ok(())
    }
}

impl<P: Provider + 'static> Session for RetriedSession<P> {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        self.next().boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        match &mut self.state {
            RetriedState::Open(session) => session.cancel(),
            RetriedState::Opening(_) | RetriedState::Failed => async { Err(gone()) }.boxed(),
        }
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.ask(kept, messages).boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        match self.state {
            RetriedState::Open(session) => session.close(),
            RetriedState::Opening(_) | RetriedState::Failed => async {}.boxed(),
        }
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::Network, "the session failed before; open another")
}
