//! The start of one helper by another, which waits for it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, Timespec, poll};

use super::HELPER;

/// Starts this program again as a helper of a stage, and returns the socket that is its input.
pub(super) fn start(stage: &str) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(HELPER).arg(stage).env_clear().stdin(OwnedFd::from(theirs));
    command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
    let child = command.spawn()?;
    Ok((child, ours))
}

/// Waits for one of the descriptors, and returns the number of those that are ready.
pub(super) fn poll_again(ends: &mut [PollFd<'_>], timeout: Option<&Timespec>) -> io::Result<usize> {
    Ok(rustix::io::retry_on_intr(|| poll(ends, timeout))?)
}
