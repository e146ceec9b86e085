//! A model and its sessions under a [`RateLimiter`].

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event::{Content, Message};

use super::RateLimiter;
use crate::delta::Delta;
use crate::error::Error;
use crate::provider::{DeltaStream, Provider, Request};
use crate::session::{OpeningSession, Session};

/// A model whose requests, including requests of sessions, wait until a [`RateLimiter`] allows
/// them.
///
/// A limit of silence inside this wrapper does not include the wait, because the request has not
/// been sent yet.
///
/// ```
/// use silcrow_provider::{Provider as _, RateLimited, RateLimiter, RateLimits, ScriptedModel};
///
/// let limits = RateLimits::default().with_requests(60.try_into().unwrap());
/// // Models with clones of one limiter share its rate.
/// let limiter = RateLimiter::new(limits);
/// let model = RateLimited::new(ScriptedModel::parse("hi", 1), limiter.clone());
/// assert_eq!(model.name(), "script");
/// ```
#[derive(Debug)]
pub struct RateLimited<P> {
    model: Arc<P>,
    limiter: RateLimiter,
}

impl<P: Provider + 'static> RateLimited<P> {
    /// Limits the rate of requests to a model.
    pub fn new(model: P, limiter: RateLimiter) -> Self {
        Self { model: Arc::new(model), limiter }
    }
}

impl<P: Provider + 'static> Provider for RateLimited<P> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let (model, limiter) = (Arc::clone(&self.model), self.limiter.clone());
        Box::pin(stream::once(ask(model, limiter, request)).flatten())
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let opening = self.model.connect(request)?;
        let limiter = self.limiter.clone();
        let opened = async move {
            limiter.enter().await?;
            let session = opening.await.inspect_err(|error| limiter.learn(error))?;
            Ok(Box::new(RateLimitedSession { session, limiter, counted: 0 }) as Box<dyn Session>)
        };
        Some(opened.boxed())
    }
}

async fn ask(model: Arc<impl Provider>, limiter: RateLimiter, request: Request) -> DeltaStream {
    if let Err(error) = limiter.enter().await {
        return Box::pin(stream::iter([Err(error)]));
    }
    let mut counted = 0;
    Box::pin(model.stream(request).inspect(move |item| limiter.note(item, &mut counted)))
}

/// A session whose requests wait until the limiter allows them.
struct RateLimitedSession {
    session: Box<dyn Session>,
    limiter: RateLimiter,
    /// The number of recorded tokens of the current answer.
    counted: u64,
}

impl Session for RateLimitedSession {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        async {
            let item = self.session.receive().await;
            item.iter().for_each(|item| self.limiter.note(item, &mut self.counted));
            item
        }
        .boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        self.session.cancel()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            self.limiter.enter().await?;
            self.counted = 0;
            let sent = self.session.send(kept, messages).await;
            sent.inspect_err(|error| self.limiter.learn(error))
        }
        .boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        self.session.close()
    }
}
