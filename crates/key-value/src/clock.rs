//! The clock by which values expire.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// A wall clock that follows tokio's clock, so that a test with paused time moves it.
#[derive(Clone, Copy)]
pub(crate) struct WallClock {
    /// Seconds since 1970 at `start`.
    epoch: f64,
    start: Instant,
}

impl WallClock {
    pub(crate) fn start() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { epoch: epoch.as_secs_f64(), start: Instant::now() }
    }

    /// Returns the seconds since 1970.
    pub(crate) fn now(&self) -> f64 {
        self.epoch + self.start.elapsed().as_secs_f64()
    }
}
