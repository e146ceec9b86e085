use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::{self, Instant};

use crate::delta::Delta;
use crate::error::{Error, ErrorKind};
use crate::provider::DeltaStream;

/// How long an answer may be silent. Nothing limits how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SilenceLimits {
    /// From asking to the first delta, and from one sign of life to the next before it.
    pub first: Duration,
    /// From asking to the first delta where the server shows [signs of life](Activity).
    pub alive: Duration,
    /// From one delta to the next.
    pub idle: Duration,
}

/// A minute each; ten to the first delta of a server that shows signs of life.
impl Default for SilenceLimits {
    fn default() -> Self {
        let minute = Duration::from_secs(60);
        Self { first: minute, alive: 10 * minute, idle: minute }
    }
}

/// The last sign of life of a server, such as a comment in a stream of events: no part of the
/// answer, but a reason to wait for its beginning. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Activity(Arc<Mutex<Option<Instant>>>);

impl Activity {
    /// Takes note of a sign of life.
    pub fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns when a wait that began at `start` has been long enough for the first delta.
    pub fn deadline(&self, start: Instant, limits: SilenceLimits) -> Instant {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.map_or(start, |last| last.max(start));
        (last + limits.first).min(start + limits.alive.max(limits.first))
    }
}

/// The same answer, ended by an error of [`ErrorKind::Timeout`] when a limit passes. Signs of life
/// are noted in `activity` by whoever reads from the server.
///
/// Time is tokio's, and runs only while a delta is waited for: a slow reader is no silent model.
/// What passes the limit is dropped, which cancels its request.
pub fn limit(deltas: DeltaStream, limits: SilenceLimits, activity: Activity) -> DeltaStream {
    let wait = Wait { deltas, limits, activity, first: true };
    Box::pin(stream::unfold(Some(wait), |wait| async {
        let mut wait = wait?;
        let item = wait.next().await?;
        wait.first = false;
        let last = matches!(item, Ok(Delta::Done(_)) | Err(_));
        Some((item, (!last).then_some(wait)))
    }))
}

struct Wait {
    deltas: DeltaStream,
    limits: SilenceLimits,
    activity: Activity,
    first: bool,
}

impl Wait {
    async fn next(&mut self) -> Option<Result<Delta, Error>> {
        let start = Instant::now();
        let mut passed = None;
        loop {
            let deadline = match self.first {
                true => self.activity.deadline(start, self.limits),
                false => start + self.limits.idle,
            };
            if passed == Some(deadline) {
                return Some(Err(self.error(start)));
            }
            if let Ok(item) = time::timeout_at(deadline, self.deltas.next()).await {
                return item;
            }
            passed = Some(deadline);
        }
    }

    fn error(&self, start: Instant) -> Error {
        let SilenceLimits { first, alive, idle } = self.limits;
        let showed_life = alive > first && start.elapsed() >= alive;
        let message = if !self.first {
            let seconds = idle.as_secs_f64();
            format!(
                "the model fell silent for {seconds} s in the middle of an answer; raise the \
                 limit `idle` if it needs such pauses"
            )
        } else if !showed_life {
            let seconds = first.as_secs_f64();
            format!(
                "the model gave nothing for {seconds} s, the limit for the first piece of an \
                 answer; raise the limit `first` if it needs longer to begin"
            )
        } else {
            let seconds = alive.as_secs_f64();
            format!(
                "the model's server showed signs of life for {seconds} s, and no piece of an \
                 answer came; raise the limit `alive` if it needs longer to begin"
            )
        };
        Error::new(ErrorKind::Timeout, message)
    }
}
