//! A model of a vendor for tests, with its own calls and perhaps with sessions.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event::{Content, Message};
use silcrow_provider::{Delta, DeltaStream, Error, OpeningSession, Provider, Request, Session};

/// A model of a vendor, whose answers are deltas.
#[derive(Clone)]
pub(crate) struct VendorModel {
    name: &'static str,
    answers: Arc<Mutex<VecDeque<Vec<Delta>>>>,
    pub(crate) asked: Arc<Mutex<Vec<Request>>>,
    /// Whether it keeps conversations.
    pub(crate) sessions: bool,
}

impl VendorModel {
    pub(crate) fn new(name: &'static str, answers: impl IntoIterator<Item = Vec<Delta>>) -> Self {
        let answers = Arc::new(Mutex::new(answers.into_iter().collect()));
        Self { name, answers, asked: Arc::default(), sessions: false }
    }

    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }
}

impl Provider for VendorModel {
    fn name(&self) -> &str {
        self.name
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.asked.lock().unwrap().push(request);
        let deltas = self.answers.lock().unwrap().pop_front().unwrap_or_default();
        stream::iter(deltas.into_iter().map(Ok::<_, Error>)).boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        self.sessions.then(|| {
            let model = self.clone();
            async move { Ok(Box::new(Line::asking(model, request)) as Box<dyn Session>) }.boxed()
        })
    }
}

/// A session of such a model, which notes its messages.
struct Line {
    model: VendorModel,
    answer: DeltaStream,
}

impl Line {
    fn asking(model: VendorModel, request: Request) -> Self {
        let answer = model.stream(request);
        Self { model, answer }
    }
}

impl Session for Line {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        self.answer.next().boxed()
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        let said = [Message::assistant(kept.clone())];
        let sent = said.into_iter().chain(messages.iter().cloned());
        self.answer = self.model.stream(Request::new(sent.collect::<Vec<_>>()));
        async { Ok(()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}
