//! Whether this program may be started again as a helper.
//!
//! A program that never asks whether it is one would run its `main` as the helper, start itself again
//! there, and so on without end.

use std::env;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind};
use crate::supervised::HELPER;
use crate::system;

/// Checks that this process may start `helper`.
///
/// # Errors
///
/// Returns [`ErrorKind::Unavailable`] if the helper is this program and its `main` has not called
/// [`run_helper_if_asked`](crate::run_helper_if_asked).
pub(super) fn check(helper: &Path) -> Result<(), Error> {
    // Under another name the program is found out one start later.
    let is_helper = env::args_os().next().is_some_and(|name| name == HELPER);
    let is_own = helper == system::own_program();
    match is_helper || (is_own && !HAS_ASKED.load(Ordering::Relaxed)) {
        true => Err(Error::new(ErrorKind::Unavailable, NOT_ASKED)),
        false => Ok(()),
    }
}

/// Records that `main` has asked whether this process is a helper, and that it is not.
pub(crate) fn note_asked() {
    HAS_ASKED.store(true, Ordering::Relaxed);
}

static HAS_ASKED: AtomicBool = AtomicBool::new(false);

const NOT_ASKED: &str = "this program cannot start itself as the sandbox's helper; its `main` has to call \
                         `silcrow_sandbox::run_helper_if_asked` first";
