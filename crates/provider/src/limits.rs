use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use tokio::time;

use crate::delta::Delta;
use crate::error::{Error, ErrorKind};
use crate::provider::Deltas;

/// How long an answer may be silent. Nothing limits how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From asking to the first delta.
    pub first: Duration,
    /// From one delta to the next.
    pub idle: Duration,
}

/// A minute each.
impl Default for Limits {
    fn default() -> Self {
        Self { first: Duration::from_secs(60), idle: Duration::from_secs(60) }
    }
}

/// The same answer, ended by an error of [`ErrorKind::Timeout`] when a limit passes.
///
/// Time is tokio's, and runs only while a delta is waited for: a slow reader is no silent model.
/// What passes the limit is dropped, which cancels its request.
pub fn limit(deltas: Deltas, limits: Limits) -> Deltas {
    let wait = Wait { deltas, limits, first: true };
    Box::pin(stream::unfold(Some(wait), |wait| async {
        let mut wait = wait?;
        let item = match time::timeout(wait.limit(), wait.deltas.next()).await {
            Ok(item) => item?,
            Err(_) => Err(wait.error()),
        };
        wait.first = false;
        let last = matches!(item, Ok(Delta::Done(_)) | Err(_));
        Some((item, (!last).then_some(wait)))
    }))
}

struct Wait {
    deltas: Deltas,
    limits: Limits,
    first: bool,
}

impl Wait {
    const fn limit(&self) -> Duration {
        if self.first { self.limits.first } else { self.limits.idle }
    }

    fn error(&self) -> Error {
        let seconds = self.limit().as_secs_f64();
        let message = if self.first {
            format!(
                "the model gave nothing for {seconds} s, the limit for the first piece of an \
                 answer; raise the limit `first` if it needs longer to begin"
            )
        } else {
            format!(
                "the model fell silent for {seconds} s in the middle of an answer; raise the \
                 limit `idle` if it needs such pauses"
            )
        };
        Error::new(ErrorKind::Timeout, message)
    }
}
