//! A model that follows a test's script, and remembers its requests.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use silcrow_provider::{
    Delta, DeltaStream, Error, ErrorKind, FinishReason, OpeningSession, Provider, Request,
};

use crate::stepped::once_pending;

/// The model's behaviour at a request.
#[derive(Clone, Debug)]
pub(crate) enum TestAnswer {
    Text(String),
    /// A fact for each message, with the same text.
    Echo,
    Fails(ErrorKind),
    /// A text that ends for another reason.
    Ends(String, FinishReason),
    /// A text that ends without a reason.
    Cut(String),
}

/// A model with an answer for each request, and the last one for all others.
pub(crate) struct TestModel {
    answers: Mutex<VecDeque<TestAnswer>>,
    requests: Mutex<Vec<Request>>,
}

impl TestModel {
    pub(crate) fn new(answers: impl IntoIterator<Item = TestAnswer>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect());
        Self { answers, requests: Mutex::default() }
    }

    pub(crate) fn saying<const N: usize>(answers: [&str; N]) -> Self {
        Self::new(answers.map(|text| TestAnswer::Text(text.to_owned())))
    }

    pub(crate) fn requests(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap()
    }

    /// Returns the texts of the person's messages in each request.
    pub(crate) fn asked(&self) -> Vec<Vec<String>> {
        let texts = |request: &Request| {
            let shown = shown_messages(request).into_iter();
            let by_person = shown.filter(|message| message["from"] == "person");
            by_person.map(|message| message["text"].as_str().unwrap().to_owned()).collect()
        };
        self.requests().iter().map(texts).collect()
    }
}

/// Returns the messages that a request is about.
pub(crate) fn shown_messages(request: &Request) -> Vec<Value> {
    let text = request.messages[1].text().into_owned();
    let (_, messages) = text.split_once("\n\nMessages:\n").unwrap();
    let (messages, _) = messages.split_once("\n\n").unwrap();
    messages.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn echo(request: &Request) -> String {
    let messages = shown_messages(request).into_iter();
    let facts = messages
        .filter(|message| message["from"] == "person")
        .map(|message| json!({"text": message["text"], "message": message["message"]}));
    json!({"add": facts.collect::<Vec<_>>()}).to_string()
}

impl Provider for TestModel {
    fn name(&self) -> &str {
        "test"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let stop = Ok(Delta::Done(FinishReason::Stop));
        let deltas = match answer.unwrap() {
            TestAnswer::Text(text) => vec![Ok(Delta::Text(text)), stop],
            TestAnswer::Echo => vec![Ok(Delta::Text(echo(&request))), stop],
            TestAnswer::Fails(kind) => vec![Err(Error::new(kind, "the test says so"))],
            TestAnswer::Ends(text, reason) => vec![Ok(Delta::Text(text)), Ok(Delta::Done(reason))],
            TestAnswer::Cut(text) => vec![Ok(Delta::Text(text))],
        };
        self.requests().push(request);
        let waits = stream::once(once_pending()).filter_map(async |()| None);
        waits.chain(stream::iter(deltas)).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}
