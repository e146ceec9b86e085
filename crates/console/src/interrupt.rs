//! Ctrl-C and the signals that end a process: the first one cancels the run, and the second one
//! ends the process.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, mpsc};

use silcrow_tool::CancellationToken;
use tokio::runtime::{Builder, Runtime};

use crate::handover::Handover;
use crate::system::{EndSignals, HANGUP, INTERRUPT};

/// The signal that cancelled a run.
#[derive(Clone, Debug)]
pub struct Interruption {
    signal: Arc<AtomicU8>,
    handover: Handover,
}

impl Interruption {
    /// Returns the number of the signal, which is 2 (SIGINT) before one has come.
    pub fn signal(&self) -> u8 {
        self.signal.load(Ordering::Relaxed)
    }

    /// Returns the switch with which SIGHUP cancels nothing, for a run that is to outlive its
    /// terminal.
    pub const fn handover(&self) -> &Handover {
        &self.handover
    }
}

/// Makes Ctrl-C (SIGINT), SIGTERM and SIGHUP cancel the run, and a second one end the process even
/// if the run is blocked.
///
/// A SIGHUP that the process was started to ignore, as by `nohup`, stays ignored. On Windows Ctrl-Break and
/// the closing of the window count as SIGTERM and SIGHUP. A process that ends
/// has the exit code 128 plus the number of the signal, and its terminal is as it was before.
///
/// ```
/// use silcrow_console::interrupt;
/// use silcrow_tool::CancellationToken;
///
/// let cancel = CancellationToken::new();
/// let interruption = interrupt::watch(cancel.clone())?;
/// // A run in a scope with this token stops at the first signal.
/// assert!(!cancel.is_cancelled());
/// assert_eq!(interruption.signal(), 2);
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
///
/// Fails if the thread that listens cannot be started, or the signals cannot be listened for.
pub fn watch(cancel: CancellationToken) -> io::Result<Interruption> {
    let first = Arc::new(AtomicU8::new(INTERRUPT));
    let handover = Handover::default();
    let interruption = Interruption { signal: Arc::clone(&first), handover: handover.clone() };
    let (reply, started) = mpsc::sync_channel(1);
    // The run's own thread may be blocked by a pipe that nobody reads, or by a long computation.
    let thread = std::thread::Builder::new().name("interrupt".to_owned());
    thread.spawn(move || {
        // A runtime is made in the thread that ends it: it may not be dropped within another one.
        let (runtime, mut signals) = match listen() {
            Ok(listening) => listening,
            Err(error) => return drop(reply.send(Err(error))),
        };
        let _ = reply.send(Ok(()));
        runtime.block_on(async move {
            let signal = loop {
                match signals.next().await {
                    HANGUP if handover.outlives_terminal() => {}
                    signal => break signal,
                }
            };
            first.store(signal, Ordering::Relaxed);
            cancel.cancel();
            let second = signals.next().await;
            crate::live::restore();
            std::process::exit(exit_of_signal(second));
        });
    })?;
    started.recv().unwrap_or_else(|_| Err(io::Error::other("its thread has ended")))?;
    Ok(interruption)
}

/// Begins to listen for the signals.
fn listen() -> io::Result<(Runtime, EndSignals)> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let signals = {
        let _within = runtime.enter();
        EndSignals::listen()?
    };
    Ok((runtime, signals))
}

/// Returns the exit code of a process that a signal ends, which is 130 for Ctrl-C.
pub(crate) fn exit_of_signal(signal: u8) -> i32 {
    128 + i32::from(signal)
}
