//! Protections against sled's failures: it panics, and it waits forever for threads that it does
//! not get. A clock before 1970 makes it panic, too.
//!
//! A panic is caught when it leaves sled, and its text is not printed, because it names paths of
//! the machine on which this program was built.

use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, Once, PoisonError, mpsc};
use std::thread;
use std::time::SystemTime;

use super::failure::IndexFailure;

/// Runs a function that calls sled. A panic is a failure, and is not printed.
pub(crate) fn guarded<T>(
    work: impl FnOnce() -> Result<T, IndexFailure>,
) -> Result<T, IndexFailure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_of_sled(info) {
                print(info);
            }
        }));
    });
    let before = IS_INSIDE.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_INSIDE.set(before);
    done.unwrap_or(Err(IndexFailure::Damaged))
}

/// Checks conditions that sled does not handle: a clock after 1970, and its threads.
pub(crate) fn check_system() -> io::Result<()> {
    if SystemTime::now() < SystemTime::UNIX_EPOCH {
        return Err(io::ErrorKind::Unsupported.into());
    }
    start_threads()
}

/// Starts as many threads as sled does, all at once, and lets them end.
fn start_threads() -> io::Result<()> {
    let (gate, wait) = mpsc::channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    let mut threads = Vec::with_capacity(THREADS);
    let mut started = Ok(());
    for _ in 0..THREADS {
        let wait = Arc::clone(&wait);
        let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
            // Nothing is ever sent, so this ends when the sender is dropped.
            let _ = wait.lock().unwrap_or_else(PoisonError::into_inner).recv();
        });
        match thread {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                started = Err(error);
                break;
            }
        }
    }
    drop(gate);
    for thread in threads {
        let _ = thread.join();
    }
    started
}

/// Returns whether a panic is on a thread of sled, in its code, or while it works for this thread.
fn is_of_sled(info: &PanicHookInfo<'_>) -> bool {
    let in_its_code = info.location().is_some_and(|at| at.file().contains("/sled-0."));
    let is_its = |name: &str| name.starts_with("sled-") || name == "log flusher";
    IS_INSIDE.get() || in_its_code || thread::current().name().is_some_and(is_its)
}

thread_local! {
    /// Whether this thread is inside of sled.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// sled's workers, and some more, because other programs of this user start threads, too.
const THREADS: usize = 12;

/// The stack of a thread that does nothing, in bytes.
const STACK: usize = 64 << 10;
