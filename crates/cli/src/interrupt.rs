//! Ctrl-C: the first stops the run, the second the process.

use std::io;

use silcrow_exec::CancellationToken;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

/// From now on Ctrl-C stops the run, and a second one the process, whatever holds the run up.
pub(crate) fn watch(cancel: CancellationToken) -> io::Result<()> {
    // The run's own thread may stand: at a pipe that nobody reads, or in a long computation.
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _within = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    let wait = async move {
        if signals.recv().await.is_some() {
            cancel.cancel();
        }
        if signals.recv().await.is_some() {
            std::process::exit(130);
        }
    };
    std::thread::Builder::new()
        .name("interrupt".to_owned())
        .spawn(move || runtime.block_on(wait))
        .map(drop)
}
