use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use silcrow_event as event;
use silcrow_provider::{Delta, DeltaStream, Error};

use super::Interactions;
use super::reader::{Ended, Reader, Seen};
use super::request::Asked;

/// One answer, by as many requests as the server's limits make of it. Asks when the first delta is
/// asked for.
pub(crate) fn deltas(model: Arc<Interactions>, asked: Asked) -> DeltaStream {
    let seen = Arc::default();
    let deltas = ask(&model, &asked, &seen);
    give(Giving::new(model, asked, seen, deltas))
}

/// Asks at once, and gives the answer when it begins, with what the server says of it.
pub(crate) async fn open(
    model: Arc<Interactions>,
    asked: Asked,
) -> Result<(DeltaStream, Arc<Seen>), Error> {
    let seen = Arc::default();
    let (host, body) = (&model.host, asked.body(&model.model, model.options));
    let reader = Box::new(Reader::new(Arc::clone(&seen)));
    let deltas = host.open(host.url.clone(), body, asked.streaming, reader).await?;
    Ok((give(Giving::new(model, asked, Arc::clone(&seen), deltas)), seen))
}

fn ask(model: &Interactions, asked: &Asked, seen: &Arc<Seen>) -> DeltaStream {
    let (host, body) = (&model.host, asked.body(&model.model, model.options));
    host.ask(host.url.clone(), body, asked.streaming, Box::new(Reader::new(Arc::clone(seen))))
}

fn give(giving: Giving) -> DeltaStream {
    Box::pin(stream::unfold(giving, |mut giving| async {
        let item = giving.next().await?;
        Some((item, giving))
    }))
}

struct Giving {
    model: Arc<Interactions>,
    asked: Asked,
    seen: Arc<Seen>,
    deltas: DeltaStream,
    /// What the requests before this one took.
    before: event::Usage,
    /// What this one took, as far as it is known.
    usage: event::Usage,
    /// This request gave something: who gives nothing is not asked to go on.
    gave: bool,
}

impl Giving {
    fn new(model: Arc<Interactions>, asked: Asked, seen: Arc<Seen>, deltas: DeltaStream) -> Self {
        let none = event::Usage::default();
        Self { model, asked, seen, deltas, before: none, usage: none, gave: false }
    }

    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        loop {
            return Some(match self.deltas.next().await? {
                Ok(Delta::Usage(usage)) => {
                    self.usage = usage;
                    Ok(Delta::Usage(self.before + usage))
                }
                Ok(Delta::Done(_)) if self.go_on() => continue,
                item => {
                    self.gave = true;
                    item
                }
            });
        }
    }

    /// Asks for the rest of an answer that stopped at a limit of one request.
    fn go_on(&mut self) -> bool {
        let Ended { id, continuation, .. } = self.seen.ended();
        let same = continuation == self.asked.continuation;
        if continuation.is_none() || same || !std::mem::take(&mut self.gave) {
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
