//! The pauses between attempts.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

/// Pauses that become longer, each with a random part, so that many programs that failed together do
/// not return together.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
}

impl Backoff {
    pub(crate) const fn new() -> Self {
        Self { next: FIRST }
    }

    /// Returns the next pause, which is at least as long as the collector asks for.
    pub(crate) fn pause(&mut self, asked: Option<Duration>) -> Duration {
        let random = (RandomState::new().hash_one(0) % 256) as u32;
        let pause = self.next + self.next * random / 1024;
        self.next = (self.next * 2).min(LONGEST);
        pause.max(asked.unwrap_or_default())
    }
}

/// The first pause.
const FIRST: Duration = Duration::from_millis(500);

/// The longest pause, without its random part.
const LONGEST: Duration = Duration::from_secs(30);
