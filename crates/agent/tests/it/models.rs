//! Models without sessions that answer as a test wants.

use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};

/// A model whose answers a closure streams.
pub(crate) struct StreamModel<F>(F);

pub(crate) fn model<F>(stream: F) -> StreamModel<F>
where
    F: Fn(Request) -> DeltaStream + Send + Sync,
{
    StreamModel(stream)
}

impl<F> Provider for StreamModel<F>
where
    F: Fn(Request) -> DeltaStream + Send + Sync,
{
    fn name(&self) -> &str {
        "test"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        (self.0)(request)
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A model that gives the same answer to each request. Clones share their requests.
#[derive(Clone)]
pub(crate) struct Always {
    text: String,
    /// The last message of each request.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Always {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), asked: Arc::default() }
    }

    /// Returns the number of requests.
    pub(crate) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Returns the last message of the last request.
    pub(crate) fn last_message(&self) -> String {
        self.asked.lock().unwrap().last().expect("a request").clone()
    }
}

impl Provider for Always {
    fn name(&self) -> &str {
        "always"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.asked.lock().unwrap().push(request.messages.last().unwrap().text().into_owned());
        let deltas = [Delta::Text(self.text.clone()), Delta::Done(FinishReason::Stop)];
        stream::iter(deltas.map(Ok)).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}
