//! A model that plays what a test says, and remembers when it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, Deltas, Error, Finish, Provider, Request};
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

    fn stream(&self, request: Request) -> Deltas {
        let Self { answers, asked } = self.clone();
        let answer = stream::once(async move {
            asked.lock().unwrap().push((Instant::now(), request));
            stream::iter(answers.lock().unwrap().pop_front().expect("another answer"))
        });
        Box::pin(answer.flatten())
    }
}

pub(crate) fn text(text: &str) -> Item {
    Ok(Delta::Text(text.to_owned()))
}

pub(crate) fn done() -> Item {
    Ok(Delta::Done(Finish::Stop))
}

pub(crate) fn request() -> Request {
    Request::new(vec![Message::new(Role::User, "hi")])
}

/// The deltas, and the error behind them.
pub(crate) async fn ask(model: &dyn Provider) -> (Vec<Delta>, Option<Error>) {
    let mut items: Vec<_> = model.stream(request()).collect().await;
    let error = items.pop_if(|item| item.is_err()).map(Result::unwrap_err);
    (items.into_iter().map(Result::unwrap).collect(), error)
}
