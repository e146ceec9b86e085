//! The system's limits for this process: open files and threads.
//!
//! Libraries below this command panic if the system refuses them a file or a thread. Few files are
//! noticed before that; such a panic is the failure of the command, and names the remedy.

use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::thread;

use crate::failure::Failure;
use crate::system;

/// Does the work of a command. A panic because the system refuses a file or a thread is a failure.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| match refused(text(info)) {
        // This thread says it when it is here again.
        Some(_) if thread::current().name() == Some("main") => {}
        Some(refused) => drop(refused.report()),
        None => print(info),
    }));
    allow_files()?;
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        match refused(text.or_else(|| panic.downcast_ref::<&str>().copied())) {
            Some(failure) => Err(failure),
            None => panic::resume_unwind(panic),
        }
    })
}

/// Checks that the system has so many threads for this process besides one for each processor.
pub(crate) fn check_threads(besides: usize) -> Result<(), Failure> {
    let count = thread::available_parallelism().map_or(1, NonZeroUsize::get) + besides;
    let (gate, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    thread::scope(|scope| {
        let started = (0..count).try_for_each(|_| {
            let thread = thread::Builder::new().stack_size(STACK);
            let waits = || {
                // Nothing is ever sent, so this ends when the sender is dropped.
                let _ = wait.lock().map(|wait| wait.recv());
            };
            thread.spawn_scoped(scope, waits).map(drop)
        });
        drop(gate);
        started.map_err(|_| no_threads())
    })
}

/// Raises a low limit of open files to the highest that the system allows.
fn allow_files() -> Result<(), Failure> {
    let (current, maximum) = system::open_files();
    let Some(current) = current.filter(|current| *current < WANTED) else { return Ok(()) };
    let allowed = maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if allowed > current {
        system::raise_open_files(allowed);
    }
    match allowed.max(current) {
        allowed if allowed < LEAST => Err(Failure::running(format!(
            "this process may have only {allowed} files open, and needs {LEAST}; raise the limit \
             with `ulimit -n {WANTED}`, then try again"
        ))),
        _ => Ok(()),
    }
}

/// Returns the failure of a command that panicked with a text, if the system refused it something.
fn refused(text: Option<&str>) -> Option<Failure> {
    let text = text?;
    if text.contains("Resource temporarily unavailable") {
        return Some(no_threads());
    }
    text.contains("Too many open files").then(|| {
        Failure::running(format!(
            "this process may not open more files; raise the limit with `ulimit -n {WANTED}`, then \
             try again"
        ))
    })
}

fn no_threads() -> Failure {
    Failure::running(
        "the system has no more threads for this process; end other programs of this user, or raise \
         the limit with `ulimit -u`, then try again",
    )
}

fn text<'a>(info: &'a PanicHookInfo<'_>) -> Option<&'a str> {
    info.payload_as_str()
}

/// The number of open files that a command asks the system for.
const WANTED: u64 = 1_024;

/// The number of open files without which no command works.
const LEAST: u64 = 32;

/// The stack of a thread that does nothing, in bytes.
const STACK: usize = 64 << 10;
