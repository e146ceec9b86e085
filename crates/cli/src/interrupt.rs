//! Ctrl-C: the first one cancels the run, and the second one ends the process.

use std::io;

use silcrow_exec::CancellationToken;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

/// Makes Ctrl-C cancel the run, and a second Ctrl-C end the process even if the run is blocked.
pub(crate) fn watch(cancel: CancellationToken) -> io::Result<()> {
    // The run's own thread may be blocked by a pipe that nobody reads, or by a long computation.
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
