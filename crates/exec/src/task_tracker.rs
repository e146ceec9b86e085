//! The work of calls that continues when they are dropped, and that ends with their runner.
//!
//! A task runs until it ends, until it is taken, or until the tracker is dropped.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::task::JoinSet;

/// Tracks the work of a runner's calls that continues when they are dropped. It stops when the
/// tracker is dropped.
#[derive(Debug, Default)]
pub(crate) struct TaskTracker(Arc<Mutex<JoinSet<()>>>);

/// A handle that adds work. The work holds it, so it does not keep the tracker alive.
#[derive(Clone, Debug)]
pub(crate) struct TaskTrackerHandle(Weak<Mutex<JoinSet<()>>>);

impl TaskTracker {
    /// Returns a handle that adds work.
    pub(crate) fn handle(&self) -> TaskTrackerHandle {
        TaskTrackerHandle(Arc::downgrade(&self.0))
    }

    /// Removes and returns all work.
    pub(crate) fn take_tasks(&self) -> JoinSet<()> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl TaskTrackerHandle {
    /// Runs work, unless the tracker was dropped.
    pub(crate) fn take(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(tasks) = self.0.upgrade() {
            let mut tasks = tasks.lock().unwrap_or_else(PoisonError::into_inner);
            // Tasks that have ended are removed.
            while tasks.try_join_next().is_some() {}
            tasks.spawn(work);
        }
    }
}
