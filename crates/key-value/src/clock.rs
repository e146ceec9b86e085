//! The clock by which values expire.

use std::time::SystemTime;

use silcrow_event::Timestamp;
use tokio::time::Instant;

/// A wall clock that follows tokio's clock, so that a test with paused time moves it.
#[derive(Clone, Copy)]
pub(crate) struct WallClock {
    /// The time at `start`.
    epoch: Timestamp,
    start: Instant,
}

impl WallClock {
    pub(crate) fn start() -> Self {
        Self { epoch: SystemTime::now().into(), start: Instant::now() }
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Timestamp {
        self.epoch.saturating_add(self.start.elapsed())
    }
}
