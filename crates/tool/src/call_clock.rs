//! The time for which a call has run, excluding the waits of its questions for a person.
//!
//! This module counts open questions, whatever they ask.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// Counts the open questions of a running call.
#[derive(Debug, Default)]
pub(crate) struct CallClock(watch::Sender<usize>);

/// Stops the clock until it is dropped.
pub(crate) struct StoppedClock<'a>(&'a CallClock);

impl CallClock {
    /// Stops the clock for as long as the guard lives.
    pub(crate) fn stop(&self) -> StoppedClock<'_> {
        self.0.send_modify(|open| *open += 1);
        StoppedClock(self)
    }

    /// Waits until the clock has run for `limit` from now on.
    pub(crate) async fn elapsed(&self, limit: Duration) {
        let mut open = self.0.subscribe();
        let mut left = limit;
        // Neither wait can fail, because `self` holds the sender.
        loop {
            let _ = open.wait_for(|open| *open == 0).await;
            let begun = Instant::now();
            let stopped = pin!(open.wait_for(|open| *open > 0));
            // The first one wins if both are ready.
            match select(stopped, pin!(sleep(left))).await {
                Either::Left(_) => left = left.saturating_sub(begun.elapsed()),
                Either::Right(_) => return,
            }
        }
    }
}

impl Drop for StoppedClock<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|open| *open -= 1);
    }
}
