//! A model that plays a test's script, and remembers its requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};
use silcrow_event::{Content, Message, Role};
use silcrow_provider::{
    Delta, DeltaStream, Error, FinishReason, OpeningSession, Provider, Request, Session,
};
use tokio::time::Instant;

pub(crate) type Item = Result<Delta, Error>;

#[derive(Clone, Default)]
pub(crate) struct Played {
    answers: Arc<Mutex<VecDeque<Vec<Item>>>>,
    pub(crate) asked: Arc<Mutex<Vec<(Instant, Request)>>>,
}

impl Played {
    pub(crate) fn new(answers: impl IntoIterator<Item = Vec<Item>>) -> Self {
        Self { answers: Arc::new(Mutex::new(answers.into_iter().collect())), asked: Arc::default() }
    }

    /// Seconds from each request to the next.
    pub(crate) fn pauses(&self) -> Vec<f64> {
        let asked = self.asked.lock().unwrap();
        asked.windows(2).map(|two| (two[1].0 - two[0].0).as_secs_f64()).collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Provider for Played {
    fn name(&self) -> &str {
        "played"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let Self { answers, asked } = self.clone();
        let answer = stream::once(async move {
            asked.lock().unwrap().push((Instant::now(), request));
            stream::iter(answers.lock().unwrap().pop_front().expect("another answer"))
        });
        Box::pin(answer.flatten())
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// The same over sessions: each opening plays the next answer, and fails if that begins with an
/// error.
#[derive(Clone)]
pub(crate) struct Connected(pub(crate) Played);

impl Provider for Connected {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn stream(&self, _: Request) -> DeltaStream {
        panic!("a session was wanted")
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let mut answer = self.0.stream(request);
        Some(Box::pin(async move {
            let first = answer.next().await.expect("an answer")?;
            let answer = stream::iter([Ok(first)]).chain(answer).boxed();
            Ok(Box::new(Playing(answer)) as Box<dyn Session>)
        }))
    }
}

/// The same over sessions that open at once: each opening, and each question over an open one, plays
/// the next answer.
#[derive(Clone)]
pub(crate) struct Late(pub(crate) Played);

impl Provider for Late {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn stream(&self, _: Request) -> DeltaStream {
        panic!("a session was wanted")
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        let (model, answer) = (self.0.clone(), self.0.stream(request));
        Some(Box::pin(async move { Ok(Box::new(Following { model, answer }) as Box<dyn Session>) }))
    }
}

struct Following {
    model: Played,
    answer: DeltaStream,
}

impl Session for Following {
    fn receive(&mut self) -> BoxFuture<'_, Option<Item>> {
        Box::pin(self.answer.next())
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    fn send<'a>(
        &'a mut self,
        _: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.answer = self.model.stream(Request::new(messages.to_vec()));
        Box::pin(async { Ok(()) })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

struct Playing(DeltaStream);

impl Session for Playing {
    fn receive(&mut self) -> BoxFuture<'_, Option<Item>> {
        Box::pin(self.0.next())
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    fn send<'a>(
        &'a mut self,
        _: &'a Content,
        _: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

/// The first delta of a session's first answer, or the reason why it does not open.
pub(crate) async fn connect(model: &dyn Provider) -> Result<Delta, Error> {
    let mut session = model.connect(request()).expect("a session").await?;
    session.receive().await.expect("a delta")
}

pub(crate) fn text(text: &str) -> Item {
    Ok(Delta::Text(text.to_owned()))
}

pub(crate) fn done() -> Item {
    Ok(Delta::Done(FinishReason::Stop))
}

pub(crate) fn request() -> Request {
    Request::new(vec![Message::new(Role::User, "hi")])
}

/// Returns the deltas, and the error after them.
pub(crate) async fn ask(model: &dyn Provider) -> (Vec<Delta>, Option<Error>) {
    let mut items: Vec<_> = model.stream(request()).collect().await;
    let error = items.pop_if(|item| item.is_err()).map(Result::unwrap_err);
    (items.into_iter().map(Result::unwrap).collect(), error)
}
