//! Prompts that wait for their place, because too many runs are at work.
//!
//! ```text
//! no place ─► the queue is full ─► refused
//!     └─────► waits ─► a run has ended ─► begins
//!               └──► the time is over ─► refused
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

/// The prompts that wait.
#[derive(Default)]
pub(crate) struct RunQueue {
    waiting: AtomicUsize,
}

/// A place in the queue, which is free again once this is dropped.
pub(crate) struct QueuedPrompt<'a>(&'a AtomicUsize);

impl RunQueue {
    /// Returns the number of prompts that wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Enters the queue, unless it is full.
    pub(crate) fn enter(&self, most: usize) -> Option<QueuedPrompt<'_>> {
        let place = QueuedPrompt(&self.waiting);
        // A place that is not given is left at once.
        (self.waiting.fetch_add(1, Ordering::Relaxed) < most).then_some(place)
    }
}

impl Drop for QueuedPrompt<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
