use std::time::{SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Wall time that moves with tokio's clock: read once, at the start of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Seconds since 1970 at `start`.
    epoch: f64,
    start: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { epoch: epoch.as_secs_f64(), start: Instant::now() }
    }

    /// Seconds since 1970, to the microsecond.
    pub(crate) fn now(&self) -> f64 {
        let seconds = self.epoch + self.start.elapsed().as_secs_f64();
        (seconds * 1e6).round() / 1e6
    }

    /// Unique enough to tell two runs apart.
    pub(crate) fn run_id(&self) -> String {
        format!("r{:x}", (self.epoch * 1e6) as u64)
    }
}
