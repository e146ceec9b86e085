//! The line that a person reads while a failed request waits to be repeated.

use silcrow_provider::{ErrorKind, RequestPause, RetryWatch};
use tokio::time::Instant;

use crate::session::AgentSession;

impl AgentSession {
    /// Returns the reason why the model is not asked just now, and the remaining time:
    /// `rate limit, again in 14 s (2 of 3)`. Returns `None` while no request waits.
    pub fn retry_line(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let watch: RetryWatch = self.setup.retries.clone();
        move || watch.pause().map(|pause| line(&pause, Instant::now()))
    }
}

fn line(pause: &RequestPause, now: Instant) -> String {
    let why = match pause.kind {
        ErrorKind::Rate => "rate limit",
        ErrorKind::Overload => "the model is overloaded",
        _ => "the connection failed",
    };
    let seconds = pause.until.saturating_duration_since(now).as_millis().div_ceil(1_000);
    format!("{why}, again in {} s ({} of {})", seconds.max(1), pause.next, pause.most)
}
