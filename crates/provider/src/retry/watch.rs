//! The pauses of repeated requests, as others can see them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::error::ErrorKind;

/// The pause of a request that failed and is repeated, as a program can show it. Clones see the same
/// pauses.
///
/// ```
/// use silcrow_provider::RetryWatch;
///
/// let watch = RetryWatch::new();
/// assert_eq!(watch.pause(), None, "nothing waits");
/// ```
#[derive(Clone, Debug, Default)]
pub struct RetryWatch(Arc<Mutex<Option<RequestPause>>>);

/// A pause before a request is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestPause {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// The time at which the next request begins.
    pub until: Instant,
    /// The number of that request; the first one has the number 1.
    pub next: u32,
    /// The number of requests at most, if each fails in this way.
    pub most: u32,
}

impl RetryWatch {
    /// Creates a watch that sees nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the pause that began last, if it is not over.
    pub fn pause(&self) -> Option<RequestPause> {
        *self.lock()
    }

    /// Shows a pause until the value is dropped.
    pub(super) fn begin(&self, pause: RequestPause) -> ShownPause<'_> {
        *self.lock() = Some(pause);
        ShownPause { watch: self, pause }
    }

    fn lock(&self) -> MutexGuard<'_, Option<RequestPause>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pause that is shown. It ends in any case, even if the run is stopped.
pub(super) struct ShownPause<'w> {
    watch: &'w RetryWatch,
    pause: RequestPause,
}

impl Drop for ShownPause<'_> {
    fn drop(&mut self) {
        let mut shown = self.watch.lock();
        // Another request may pause since.
        if *shown == Some(self.pause) {
            *shown = None;
        }
    }
}
