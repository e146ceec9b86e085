//! The time of a run.
//!
//! The wall clock is read once, at the start. After that time moves with tokio's clock, so that a
//! test can pause it.

use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// A wall clock that moves with tokio's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunClock {
    /// The seconds since 1970 at `start`.
    epoch: f64,
    start: Instant,
}

impl RunClock {
    pub(crate) fn start() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { epoch: epoch.as_secs_f64(), start: Instant::now() }
    }

    /// Returns the seconds since 1970, to the microsecond.
    pub(crate) fn now(&self) -> f64 {
        let seconds = self.epoch + self.start.elapsed().as_secs_f64();
        (seconds * 1e6).round() / 1e6
    }

    /// Returns an id that tells the runs of a conversation apart.
    pub(crate) fn run_id(&self) -> String {
        format!("r{:x}", (self.epoch * 1e6) as u64)
    }
}
