//! The time of a run.
//!
//! The wall clock is read once, at the start. After that time moves with tokio's clock, so that a
//! test can pause it.

use std::time::SystemTime;

use silcrow_event::Timestamp;
use tokio::time::Instant;

/// A wall clock that moves with tokio's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunClock {
    /// The time at `start`.
    epoch: Timestamp,
    start: Instant,
}

impl RunClock {
    pub(crate) fn start() -> Self {
        Self { epoch: SystemTime::now().into(), start: Instant::now() }
    }

    /// Returns the current time, in whole microseconds: six decimals in a log.
    pub(crate) fn now(&self) -> Timestamp {
        let nanos = self.epoch.saturating_add(self.start.elapsed()).as_nanos();
        Timestamp::from_nanos(nanos - nanos % 1_000)
    }

    /// Returns an id that tells the runs of a conversation apart.
    pub(crate) fn run_id(&self) -> String {
        format!("r{:x}", self.epoch.as_nanos() / 1_000)
    }
}
