//! The command on Windows.

use std::fs::{File, FileType};
use std::io;
use std::os::windows::io::AsHandle as _;
use std::process::{self, Command};
use std::time::Duration;

/// Returns the columns and rows of the console.
pub(crate) fn output_size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok()
}

/// Returns the columns and rows of the console.
pub(crate) fn screen_size() -> Option<(u16, u16)> {
    output_size()
}

/// Returns standard input as a file, which is read without a buffer.
pub(crate) fn standard_input() -> io::Result<File> {
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Returns false: every input is read to its end, because the console does not say whether somebody still
/// writes to it.
pub(crate) const fn may_stay_open(_: FileType) -> bool {
    false
}

/// Returns true: a read waits as long as it has to.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(crate) const fn is_ready(_: &File, _: Duration) -> io::Result<bool> {
    Ok(true)
}

/// Runs a command, and ends this process with its exit code. This returns only if it cannot be started.
pub(crate) fn become_command(mut command: Command) -> io::Error {
    match command.status() {
        Ok(status) => process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Returns no limits: the system has none of open files.
pub(crate) const fn open_files() -> (Option<u64>, Option<u64>) {
    (None, None)
}

/// Does nothing: the system has no limit of open files.
pub(crate) const fn raise_open_files(_: u64) {}
