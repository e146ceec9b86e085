use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::task::JoinSet;

/// The work of a runner's calls that goes on when they are dropped. It stops when this is.
#[derive(Debug, Default)]
pub(crate) struct TaskTracker(Arc<Mutex<JoinSet<()>>>);

/// The way into the house. The work holds it, so it does not hold the house.
#[derive(Clone, Debug)]
pub(crate) struct TaskTrackerHandle(Weak<Mutex<JoinSet<()>>>);

impl TaskTracker {
    pub(crate) fn handle(&self) -> TaskTrackerHandle {
        TaskTrackerHandle(Arc::downgrade(&self.0))
    }

    /// Hands out all that is in it.
    pub(crate) fn take_tasks(&self) -> JoinSet<()> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl TaskTrackerHandle {
    pub(crate) fn take(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(house) = self.0.upgrade() {
            let mut house = house.lock().unwrap_or_else(PoisonError::into_inner);
            // What has ended makes room.
            while house.try_join_next().is_some() {}
            house.spawn(work);
        }
    }
}
