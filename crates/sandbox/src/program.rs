//! The calls at the start of a program, for its sandboxes and for itself.

use std::io;

use crate::system;

/// Does the work of a helper, and ends the process, if this process was started as one. Otherwise it
/// does nothing.
///
/// Call it first of all in `main`: a helper must have one thread, and does not read the arguments of
/// the program.
pub fn run_helper_if_asked() {
    system::run_helper_if_asked();
}

/// On Linux, keeps the memory and the environment of this process, which contain keys, from other
/// processes of the same user and out of core dumps. On other Unix systems it only bars core dumps,
/// and on Windows it does nothing. Call it in `main`, after
/// [`run_helper_if_asked`](crate::run_helper_if_asked).
///
/// # Errors
///
/// Returns the error of the system.
pub fn harden_this_process() -> io::Result<()> {
    system::harden()
}
