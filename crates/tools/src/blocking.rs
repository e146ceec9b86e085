//! Work on files, on threads that may block.
//!
//! This module limits the number of concurrent calls beneath one root.

use std::panic::resume_unwind;
use std::sync::Arc;

use silcrow_tool::ToolError;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// The slots for work on files. Each is a thread with its buffers.
#[derive(Clone, Debug)]
pub(crate) struct BlockingSlots(Arc<Semaphore>);

impl BlockingSlots {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_AT_ONCE)))
    }

    /// Runs work on a thread that may block, once a slot is free.
    ///
    /// The work continues when the future is dropped, and keeps its slot until it ends, so it must
    /// check the call's cancellation while it reads and writes.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let closing = || ToolError::new("the program is shutting down");
        let slot = Arc::clone(&self.0).acquire_owned().await.map_err(|_| closing())?;
        let work = spawn_blocking(move || {
            let _slot = slot;
            work()
        });
        work.await.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(closing()),
        })
    }
}

/// The number of calls that may work at once beneath one root.
const MAX_AT_ONCE: usize = 4;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    use futures_util::future::try_join_all;

    use super::*;

    #[tokio::test]
    async fn work_is_limited_by_slots() {
        static NOW: AtomicUsize = AtomicUsize::new(0);
        let slots = BlockingSlots::new();
        let work = || {
            let now = NOW.fetch_add(1, Ordering::SeqCst) + 1;
            sleep(Duration::from_millis(20));
            NOW.fetch_sub(1, Ordering::SeqCst);
            Ok(now)
        };
        let most = try_join_all((0..4 * MAX_AT_ONCE).map(|_| slots.run(work))).await.unwrap();
        assert!(most.into_iter().max().unwrap() <= MAX_AT_ONCE);
        // Each slot costs a thread with its buffers.
        const { assert!(MAX_AT_ONCE <= 8) };
    }
}
