use std::panic::resume_unwind;

use silcrow_exec::{Failure, Output};
use tokio::task::spawn_blocking;

/// Does file work on a thread where it may block. It goes on when the future is dropped: what
/// takes long or changes something must look at the call's stop sign.
pub(crate) async fn blocking(
    work: impl FnOnce() -> Result<Output, Failure> + Send + 'static,
) -> Result<Output, Failure> {
    spawn_blocking(work).await.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => Err(Failure::new("the program is shutting down")),
    })
}
