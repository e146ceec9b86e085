//! The client: the lines that it gets, and its answers to our requests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::message::{self, RpcError};

/// The way to the client.
#[derive(Debug)]
pub(crate) struct AcpClient {
    lines: mpsc::Sender<String>,
    /// Our requests that wait for an answer, by their numbers.
    open: Mutex<OpenRequests>,
    shows_notices: AtomicBool,
    shows_forms: AtomicBool,
}

#[derive(Debug, Default)]
struct OpenRequests {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Result<Value, String>>>,
}

impl AcpClient {
    pub(crate) fn new(lines: mpsc::Sender<String>) -> Self {
        let (shows_notices, shows_forms) = Default::default();
        Self { lines, open: Mutex::default(), shows_notices, shows_forms }
    }

    /// Takes the capabilities of the client.
    pub(crate) fn take_abilities(&self, abilities: &Value) {
        let notices = &abilities["session"]["notices"];
        self.shows_notices.store(notices.is_object(), Ordering::Relaxed);
        let forms = &abilities["elicitation"]["form"];
        self.shows_forms.store(forms.is_object(), Ordering::Relaxed);
    }

    /// Returns whether the client shows notices about a session.
    pub(crate) fn shows_notices(&self) -> bool {
        self.shows_notices.load(Ordering::Relaxed)
    }

    /// Returns whether the client shows forms.
    pub(crate) fn shows_forms(&self) -> bool {
        self.shows_forms.load(Ordering::Relaxed)
    }

    /// Sends an update of a session. A client that is gone gets nothing.
    pub(crate) async fn update(&self, session: &str, update: &Value) {
        self.send(message::update(session, update)).await;
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, id: &Value, result: Result<Value, RpcError>) {
        self.send(message::answer(id, result)).await;
    }

    /// Asks the client, and waits for its answer. If the future is dropped, an answer is ignored.
    pub(crate) async fn ask(&self, method: &str, params: &Value) -> Result<Value, String> {
        let (sender, answer) = oneshot::channel();
        let number = {
            let mut open = self.lock();
            open.last += 1;
            let number = open.last;
            open.waiting.insert(number, sender);
            number
        };
        let _open = OpenRequest { client: self, number };
        self.send(message::request(number, method, params)).await;
        answer.await.unwrap_or_else(|_| Err("the client is gone".to_owned()))
    }

    /// Takes the client's answer to a request of ours. An answer to an unknown request is ignored,
    /// because the asking call may have ended.
    pub(crate) fn take_answer(&self, id: &Value, result: Result<Value, String>) {
        let waiting = id.as_u64().and_then(|number| self.lock().waiting.remove(&number));
        if let Some(waiting) = waiting {
            // The asking call may have ended.
            let _ = waiting.send(result);
        }
    }

    /// Drops all requests that wait, because no answer will come.
    pub(crate) fn close(&self) {
        self.lock().waiting.clear();
    }

    async fn send(&self, line: String) {
        // A client that is gone gets nothing.
        let _ = self.lines.send(line).await;
    }

    fn lock(&self) -> MutexGuard<'_, OpenRequests> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets a request when it is dropped.
struct OpenRequest<'a> {
    client: &'a AcpClient,
    number: u64,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.client.lock().waiting.remove(&self.number);
    }
}
