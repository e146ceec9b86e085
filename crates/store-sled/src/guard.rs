//! sled's panics, caught where they leave it. A panic is not proof of damage, and its text is for
//! nobody: it names places on the machine where this program was built.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::path::Path;
use std::sync::{Arc, Mutex, Once, PoisonError, mpsc};
use std::thread;
use std::time::SystemTime;

use silcrow_store::{Error, ErrorKind};

/// sled panicked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panicked;

/// Does what calls sled; a panic is returned and not printed.
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
    let before = INSIDE.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    done.map_err(|_| Panicked)
}

/// Returns the error for a panic while `doing` something with the store in `dir`.
pub(crate) fn stopped(dir: &Path, doing: &str) -> Error {
    let Err(error) = check_system(dir) else {
        let message = format!(
            "the database stopped while {doing} the store {} and did not say why: its files may be \
             damaged, or the system refused it something; try again, and if it stops again, put a \
             copy in their place",
            dir.display()
        );
        return Error::new(ErrorKind::Unavailable, message);
    };
    error
}

/// Checks what sled needs of the system and does not ask for with care: a clock after 1970, and as
/// many threads as it starts. Without one it panics, and without several it waits for ever.
pub(crate) fn check_system(dir: &Path) -> Result<(), Error> {
    let dir = dir.display();
    if SystemTime::now() < SystemTime::UNIX_EPOCH {
        let message = format!(
            "the clock of this machine says that it is before 1970, so the store {dir} cannot be \
             used; set it, then try again"
        );
        return Err(Error::new(ErrorKind::Unavailable, message));
    }
    can_start_threads().map_err(|error| {
        let message = format!(
            "the system refuses the {THREADS} threads that the store {dir} needs: {error}; end \
             other programs or raise the limit on processes (`ulimit -u`), then try again"
        );
        Error::new(ErrorKind::Unavailable, message).with_source(error)
    })
}

/// Starts all of them at once and lets them end.
fn can_start_threads() -> std::io::Result<()> {
    let (gate, wait) = mpsc::channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    let mut threads = Vec::with_capacity(THREADS);
    let mut started = Ok(());
    for _ in 0..THREADS {
        let wait = Arc::clone(&wait);
        let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
            // The gate is never passed, only taken away.
            let wait = wait.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = wait.recv();
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

/// Whether a panic is on a thread of sled, in its code, or while it works for us.
fn is_of_sled(info: &PanicHookInfo<'_>) -> bool {
    let in_its_code = info.location().is_some_and(|at| at.file().contains("/sled-0."));
    let is_its = |name: &str| name.starts_with("sled-") || name == "log flusher";
    let on_its_thread = thread::current().name().is_some_and(is_its);
    INSIDE.get() || in_its_code || on_its_thread
}

thread_local! {
    /// Whether this thread is inside of sled.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// sled's seven workers and its flusher, the writer, and a few threads of the runtime that reads
/// block.
const THREADS: usize = 12;

/// In bytes; they do nothing.
const STACK: usize = 64 << 10;
