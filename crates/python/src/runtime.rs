//! The runtime of all agents of a process, with its own threads.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};

/// Returns the runtime, which is made at its first use.
///
/// # Panics
///
/// Panics if the system starts no thread.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("silcrow")
            .enable_all()
            .build()
            .expect("the system starts threads")
    })
}

/// Two, because agents mostly wait, and one may be at a disk.
const WORKERS: usize = 2;
