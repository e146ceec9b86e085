//! Limits of the silence in an answer.
//!
//! A [`SilenceWatch`] first waits for the first delta, which signs of life may delay, and then for
//! each next one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time::{self, Instant};

use crate::delta::Delta;
use crate::error::{Error, ErrorKind};
use crate::provider::DeltaStream;

/// The limits of the silence in an answer. The length of an answer is not limited.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_provider::{Activity, SilenceLimits};
/// use tokio::time::Instant;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let limits = SilenceLimits::new().with_first(Duration::from_secs(20));
/// let (activity, start) = (Activity::default(), Instant::now());
/// assert_eq!(activity.deadline(start, limits), start + Duration::from_secs(20));
/// // A comment in the stream of events shows that the server is still at work.
/// tokio::time::advance(Duration::from_secs(15)).await;
/// activity.note();
/// assert_eq!(activity.deadline(start, limits), start + Duration::from_secs(35));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SilenceLimits {
    /// The longest silence before the first delta. Each [sign of life](Activity) starts it again.
    pub first: Duration,
    /// The longest wait for the first delta in total, however many signs of life arrive.
    pub first_total: Duration,
    /// The limit between two deltas.
    pub idle: Duration,
}

/// One minute each, and ten for the first delta of a server that shows signs of life.
impl Default for SilenceLimits {
    fn default() -> Self {
        Self::new()
    }
}

impl SilenceLimits {
    /// Returns the default limits.
    pub const fn new() -> Self {
        let minute = Duration::from_secs(60);
        Self { first: minute, first_total: Duration::from_secs(600), idle: minute }
    }

    /// Sets the limit for the first delta, and for each sign of life before it.
    #[must_use]
    pub const fn with_first(self, first: Duration) -> Self {
        Self { first, ..self }
    }

    /// Sets the limit for the whole wait for the first delta of a server that shows signs of life.
    #[must_use]
    pub const fn with_first_total(self, first_total: Duration) -> Self {
        Self { first_total, ..self }
    }

    /// Sets the limit between two deltas.
    #[must_use]
    pub const fn with_idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }
}

/// The time of a server's last sign of life, such as a comment in server-sent events.
///
/// A sign of life is not part of the answer, but a reason to wait longer for its beginning. Clones
/// share the time.
#[derive(Clone, Debug, Default)]
pub struct Activity(Arc<Mutex<Option<Instant>>>);

impl Activity {
    /// Records a sign of life.
    pub fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns the deadline for the first delta of a wait that began at `start`.
    pub fn deadline(&self, start: Instant, limits: SilenceLimits) -> Instant {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.map_or(start, |last| last.max(start));
        (last + limits.first).min(start + limits.first_total.max(limits.first))
    }
}

/// Ends an answer with an error of [`ErrorKind::Timeout`] when its silence exceeds a limit.
///
/// The code that reads from the server records signs of life in `activity`. Time is tokio's, and is
/// measured only while the caller waits for a delta, so a slow caller does not look like a silent
/// model. An answer that exceeds a limit is dropped, which cancels its request.
///
/// ```
/// use futures_util::{StreamExt as _, stream};
/// use silcrow_provider::{Activity, Delta, ErrorKind, SilenceLimits, limit_silence};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let stuck = stream::iter([Ok(Delta::Text("The".to_owned()))]).chain(stream::pending()).boxed();
/// let deltas = limit_silence(stuck, SilenceLimits::new(), Activity::default());
/// let mut deltas: Vec<_> = deltas.collect().await;
/// assert_eq!(deltas.len(), 2);
/// assert_eq!(deltas.pop().unwrap().unwrap_err().kind(), ErrorKind::Timeout);
/// # }
/// ```
///
/// # Panics
///
/// The stream panics if it is polled outside a tokio runtime, or in one without timers.
pub fn limit_silence(
    deltas: DeltaStream,
    limits: SilenceLimits,
    activity: Activity,
) -> DeltaStream {
    let wait = SilenceWatch { deltas, limits, activity, first: true };
    Box::pin(stream::unfold(Some(wait), |wait| async {
        let mut wait = wait?;
        let item = wait.next().await?;
        wait.first = false;
        let last = matches!(item, Ok(Delta::Done(_)) | Err(_));
        Some((item, (!last).then_some(wait)))
    }))
}

struct SilenceWatch {
    deltas: DeltaStream,
    limits: SilenceLimits,
    activity: Activity,
    first: bool,
}

impl SilenceWatch {
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
        let SilenceLimits { first, first_total, idle } = self.limits;
        let showed_life = first_total > first && start.elapsed() >= first_total;
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
            let seconds = first_total.as_secs_f64();
            format!(
                "the model's server showed signs of life for {seconds} s, and no piece of an \
                 answer came; raise the limit `first_total` if it needs longer to begin"
            )
        };
        Error::new(ErrorKind::Timeout, message)
    }
}
