//! What sled does when it fails: it panics, and it waits forever for threads that it does not get.
//!
//! A panic is caught where it leaves sled. It is not proof of damage, and its text is not printed,
//! because it names places on the machine where this program was built.

use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;
use std::sync::{Mutex, Once};
use std::thread;
use std::time::SystemTime;

use rustix::fs::statvfs;
use silcrow_store::{Error, ErrorKind};

use crate::fault::failed;

/// The outcome of a call of sled that panicked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panicked;

/// Calls sled. A panic is returned and not printed.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
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
    done.map_err(|_| Panicked)
}

/// Checks what sled needs of the system and does not ask for with care: a clock after 1970, as many
/// threads as it starts, and room on the disk beside a copy of this size.
pub(crate) fn check_system(dir: &Path, copy: u64) -> Result<(), Error> {
    let disk = statvfs(dir).map_err(|error| failed("opening", dir, error.into()))?;
    let dir = dir.display();
    // Some file systems do not say how long they are.
    if disk.f_blocks > 0 && disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM + copy {
        let message =
            format!("the disk under the store {dir} is full; make room there, then try again");
        return Err(Error::new(ErrorKind::Io, message));
    }
    if SystemTime::now() < SystemTime::UNIX_EPOCH {
        let message = format!(
            "the clock of this machine says that it is before 1970, so the store {dir} cannot be \
             read; set it, then try again"
        );
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    start_threads().map_err(|error| {
        let message = format!(
            "the system refuses the {THREADS} threads that reading the store {dir} needs; end \
             other programs or raise the limit on processes (`ulimit -u`), then try again"
        );
        Error::new(ErrorKind::Unavailable, message).with_source(error)
    })
}

/// Starts as many threads as sled does, all at once, and lets them end.
fn start_threads() -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _closed = gate.lock();
        (0..THREADS).try_for_each(|_| {
            let thread = thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, || drop(gate.lock())).map(drop)
        })
    })
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

/// The room that sled needs to open its files, in bytes. If there is less, it takes files for
/// damaged that are not.
const ROOM: u64 = 1 << 20;
