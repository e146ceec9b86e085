//! Requests of a run to Python: a call of a tool, an answer to a question, a piece of a model's
//! answer.
//!
//! Requests and answers are JSON. There are at most as many as the open calls and questions of the
//! run, which the run limits.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::alarm::Alarm;

/// The requests of a run, and where their answers go.
#[derive(Default)]
pub(crate) struct Desk {
    state: Mutex<DeskState>,
    pub(crate) alarm: Alarm,
}

#[derive(Default)]
struct DeskState {
    last: u64,
    requests: VecDeque<DeskRequest>,
    open: HashMap<u64, oneshot::Sender<String>>,
    /// Whether Python takes no more requests, or the run makes none.
    is_closed: bool,
}

/// A request: its number, its kind, and its subject, as JSON.
pub(crate) type DeskRequest = (u64, &'static str, String);

impl Desk {
    /// Asks Python, and returns its answer, or `None` once it answers no more requests. A future
    /// that is dropped withdraws the request.
    pub(crate) async fn ask(self: &Arc<Self>, kind: &'static str, about: String) -> Option<String> {
        let (sender, answer) = oneshot::channel();
        let number = {
            let mut state = self.state();
            if state.is_closed {
                return None;
            }
            state.last += 1;
            let number = state.last;
            state.open.insert(number, sender);
            state.requests.push_back((number, kind, about));
            number
        };
        self.alarm.ring();
        let _withdrawn = WithdrawnAtEnd { desk: self, number };
        answer.await.ok()
    }

    /// Says something to Python that needs no answer.
    pub(crate) fn tell(&self, kind: &'static str, about: String) {
        self.state().requests.push_back((0, kind, about));
        self.alarm.ring();
    }

    /// Takes all requests.
    pub(crate) fn take(&self) -> Vec<DeskRequest> {
        self.state().requests.drain(..).collect()
    }

    /// Returns whether there is a request, or will be none any more.
    pub(crate) fn is_due(&self) -> bool {
        let state = self.state();
        state.is_closed || !state.requests.is_empty()
    }

    /// Returns whether all requests were taken and no more will come.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.state();
        state.is_closed && state.requests.is_empty()
    }

    /// Answers a request. One that was withdrawn needs no answer.
    pub(crate) fn answer(&self, number: u64, answer: String) {
        let sender = self.state().open.remove(&number);
        if let Some(sender) = sender {
            // The run may have ended since.
            let _ = sender.send(answer);
        }
    }

    /// Ends the desk: open requests get no answer.
    pub(crate) fn close(&self) {
        {
            let mut state = self.state();
            state.is_closed = true;
            state.open.clear();
        }
        self.alarm.ring();
    }

    fn state(&self) -> MutexGuard<'_, DeskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Withdraws a request whose answer is not needed any more.
struct WithdrawnAtEnd<'a> {
    desk: &'a Arc<Desk>,
    number: u64,
}

impl Drop for WithdrawnAtEnd<'_> {
    fn drop(&mut self) {
        let is_open = self.desk.state().open.remove(&self.number).is_some();
        if is_open {
            self.desk.tell("withdrawn", self.number.to_string());
        }
    }
}
