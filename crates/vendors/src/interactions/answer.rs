//! One answer of Interactions, in as many requests as the server's limits require.
//!
//! [`ContinuedAnswer`] reads the response to one request. When it ends with a continuation, another
//! request asks for the rest.

use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use silcrow_event as event;
use silcrow_provider::{Delta, DeltaStream, Error};

use super::Interactions;
use super::reader::{InteractionEnd, InteractionsReader, SharedEnd};
use super::request::InteractionRequest;

/// Returns one answer. The first request is sent when the first delta is polled.
pub(crate) fn deltas(model: Arc<Interactions>, asked: InteractionRequest) -> DeltaStream {
    let seen = Arc::default();
    let deltas = ask(&model, &asked, &seen);
    give(ContinuedAnswer::new(model, asked, seen, deltas))
}

/// Sends the first request. Returns the answer once it begins, and the cell that will hold its end.
pub(crate) async fn open(
    model: Arc<Interactions>,
    asked: InteractionRequest,
) -> Result<(DeltaStream, Arc<SharedEnd>), Error> {
    let seen = Arc::default();
    let (host, body) = (&model.host, asked.body(&model));
    let reader = Box::new(InteractionsReader::new(Arc::clone(&seen), &asked.tools));
    let deltas = host.open(host.url.clone(), body, asked.streaming, reader).await?;
    Ok((give(ContinuedAnswer::new(model, asked, Arc::clone(&seen), deltas)), seen))
}

fn ask(model: &Interactions, asked: &InteractionRequest, seen: &Arc<SharedEnd>) -> DeltaStream {
    let (host, body) = (&model.host, asked.body(model));
    host.ask(
        host.url.clone(),
        body,
        asked.streaming,
        Box::new(InteractionsReader::new(Arc::clone(seen), &asked.tools)),
    )
}

fn give(giving: ContinuedAnswer) -> DeltaStream {
    Box::pin(stream::unfold(giving, |mut giving| async {
        let item = giving.next().await?;
        Some((item, giving))
    }))
}

struct ContinuedAnswer {
    model: Arc<Interactions>,
    asked: InteractionRequest,
    seen: Arc<SharedEnd>,
    deltas: DeltaStream,
    /// The usage of the requests before this one.
    before: event::Usage,
    /// The known usage of this request.
    usage: event::Usage,
    /// Whether this request emitted something. A server that sends nothing is not asked to
    /// continue.
    has_emitted: bool,
}

impl ContinuedAnswer {
    fn new(
        model: Arc<Interactions>,
        asked: InteractionRequest,
        seen: Arc<SharedEnd>,
        deltas: DeltaStream,
    ) -> Self {
        let none = event::Usage::default();
        Self { model, asked, seen, deltas, before: none, usage: none, has_emitted: false }
    }

    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            return Some(match self.deltas.next().await? {
                Ok(Delta::Usage(usage)) => {
                    self.usage = usage;
                    Ok(Delta::Usage(self.before + usage))
                }
                Ok(Delta::Done(_)) if self.resume() => continue,
                item => {
                    self.has_emitted = true;
                    item
                }
            });
        }
    }

    /// Asks for the rest of an answer that stopped at a limit of one request.
    fn resume(&mut self) -> bool {
        let InteractionEnd { id, continuation, .. } = self.seen.ended();
        let same = continuation == self.asked.continuation;
        if continuation.is_none() || same || !std::mem::take(&mut self.has_emitted) {
            return false;
        }
        if self.asked.store {
            self.asked.previous = id;
        }
        self.asked.continuation = continuation;
        self.before += std::mem::take(&mut self.usage);
        self.deltas = ask(&self.model, &self.asked, &self.seen);
        true
    }
}
