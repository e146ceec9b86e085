//! The runtime of a command, which is made nowhere else.

use std::pin::Pin;

use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// Does the work of a command on this thread, and returns its outcome.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    run(current()?, Box::pin(work))
}

/// Does the work of a server on a thread for each core, because the streams of many runs are more than
/// one can write in time.
pub(crate) fn block_on_threads<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    run(made(Builder::new_multi_thread().enable_all())?, Box::pin(work))
}

/// Returns a runtime on this thread, for a command that does not do all of its work in it.
pub(crate) fn current() -> Result<Runtime, Failure> {
    made(Builder::new_current_thread().enable_all())
}

fn made(builder: &mut Builder) -> Result<Runtime, Failure> {
    builder.build().map_err(|error| Failure::running(format!("cannot start: {error}")))
}

fn run<T>(
    runtime: Runtime,
    work: Pin<Box<dyn Future<Output = Result<T, Failure>> + '_>>,
) -> Result<T, Failure> {
    let done = runtime.block_on(work);
    // The process does not wait for blocking work that a call has left behind.
    runtime.shutdown_background();
    done
}
