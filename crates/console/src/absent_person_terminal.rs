//! Replaces [`person_terminal`](self) on systems without pseudo-terminals of Unix.

use std::io;
use std::process::{Command, ExitStatus};

use silcrow_tool::CancellationToken;

/// Returns `false`: no program can share the terminal here.
pub const fn can_share_terminal() -> bool {
    false
}

/// Fails, because no program can share the terminal here.
///
/// # Errors
///
/// Always.
pub fn share_terminal(
    _: &Command,
    _: &CancellationToken,
    _: &mut dyn FnMut(&[u8]),
) -> io::Result<ExitStatus> {
    Err(io::ErrorKind::Unsupported.into())
}
