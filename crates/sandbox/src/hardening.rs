//! What a program does for itself at its start.

use std::io;

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// Keeps the memory and the environment of this process, which have keys, from other processes of
/// the same user and out of core dumps. Call it in `main`, after
/// [`run_helper_if_asked`](crate::run_helper_if_asked).
///
/// # Errors
///
/// Returns the error of the system.
pub fn harden_this_process() -> io::Result<()> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}
