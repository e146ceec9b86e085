//! The command on Unix.

use std::fs::{File, FileType};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::termios::tcgetwinsize;

/// Returns the columns and rows of the terminal at standard output.
pub(crate) fn output_size() -> Option<(u16, u16)> {
    tcgetwinsize(io::stdout()).ok().map(|size| (size.ws_col, size.ws_row))
}

/// Returns the columns and rows of the terminal at standard error.
pub(crate) fn screen_size() -> Option<(u16, u16)> {
    tcgetwinsize(io::stderr()).ok().map(|size| (size.ws_col, size.ws_row))
}

/// Returns standard input as a file, which is read without a buffer.
pub(crate) fn standard_input() -> io::Result<File> {
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Returns whether an input may stay open without a writer.
pub(crate) fn may_stay_open(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_socket()
}

/// Returns whether a read returns at once, after at most this time.
pub(crate) fn is_ready(input: &File, most: Duration) -> io::Result<bool> {
    let most = Timespec { tv_sec: most.as_secs().cast_signed(), tv_nsec: 0 };
    loop {
        let mut fds = [PollFd::new(input, PollFlags::IN)];
        match poll(&mut fds, Some(&most)) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Becomes a command. This returns only if that cannot be started.
pub(crate) fn become_command(mut command: Command) -> io::Error {
    command.exec()
}

/// Returns the number of files that this process may have open, and the most that it may ask for.
/// `None` means unlimited.
pub(crate) fn open_files() -> (Option<u64>, Option<u64>) {
    let limit = getrlimit(Resource::Nofile);
    (limit.current, limit.maximum)
}

/// Asks the system to let this process have so many files open.
pub(crate) fn raise_open_files(to: u64) {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = Some(to);
    // Without it the limit stays as it is, and may be enough.
    let _ = setrlimit(Resource::Nofile, limit);
}
