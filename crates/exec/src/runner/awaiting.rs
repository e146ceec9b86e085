//! Calls that were stopped, and that are awaited because their effects are taken back (P-32).
//!
//! A call that is dropped may still have a thread or a process. Each of those holds the host of the
//! attempt, so an attempt is over once nothing holds that any more.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinError};
use tokio::time::timeout;

use super::Runner;
use crate::update::CallUpdate;

/// An attempt that runs.
#[derive(Debug)]
pub(crate) struct RunningAttempt {
    pub(crate) id: String,
    pub(crate) stop: AbortHandle,
    /// Says that the tool begins, and ends when nothing of the attempt runs any more; only for calls
    /// that may be awaited.
    pub(crate) over: Option<mpsc::Receiver<()>>,
}

impl Runner {
    /// Stops a call as [`stop`](Self::stop) does, and reports [`CallUpdate::Stopped`] once it no
    /// longer runs, which takes at most 20 seconds.
    pub fn stop_and_await(&mut self, id: &str) {
        if self.stopping.contains(id) {
            return;
        }
        let has_ended = self
            .ready
            .iter()
            .any(|(call, update)| call == id && matches!(update, CallUpdate::Ended(_)));
        let attempts = self.attempts.iter().filter(|(_, attempt)| attempt.id == id);
        let attempts: Vec<_> = attempts.map(|(number, _)| *number).collect();
        let had_attempts = !attempts.is_empty();
        for number in attempts {
            self.await_attempt(number);
        }
        self.stop(id);
        if !had_attempts {
            let stopped = CallUpdate::Stopped { id: id.to_owned(), has_run: has_ended };
            self.ready.push_back((id.to_owned(), stopped));
        }
    }

    /// Waits for the next call that was stopped; `None` if none is awaited. Cancel-safe.
    pub(super) async fn next_stopped(&mut self) -> Option<CallUpdate> {
        let reported =
            |(_, update): &(String, CallUpdate)| matches!(update, CallUpdate::Stopped { .. });
        if let Some(at) = self.ready.iter().position(reported) {
            return self.ready.remove(at).map(|(_, update)| update);
        }
        let stopped = self.stops.join_next().await?;
        Some(self.stopped(stopped))
    }

    pub(super) fn stopped(&mut self, stopped: Result<(String, bool), JoinError>) -> CallUpdate {
        // The task only waits; it fails if the runtime is shutting down, and then nothing matters.
        let (id, has_run) = stopped.unwrap_or_default();
        self.stopping.remove(&id);
        CallUpdate::Stopped { id, has_run }
    }

    /// Stops an attempt, and waits for it if it may have to be taken back.
    pub(super) fn await_attempt(&mut self, number: u64) {
        let Some(attempt) = self.attempts.remove(&number) else { return };
        attempt.stop.abort();
        let Some(mut over) = attempt.over else { return };
        self.stopping.insert(attempt.id.clone());
        self.stops.spawn(async move {
            let mut has_run = false;
            let end = async {
                while over.recv().await.is_some() {
                    has_run = true;
                }
            };
            let _ = timeout(MOST, end).await;
            (attempt.id, has_run)
        });
    }
}

/// The time for which a call is awaited: a command has less to end.
const MOST: Duration = Duration::from_secs(20);
