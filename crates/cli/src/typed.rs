//! Lines that a person types at the terminal.

use std::io::{self, PipeReader};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::termios::{QueueSelector, tcflush};

/// Forgets what was typed at the terminal and not read yet.
pub(crate) fn forget() -> io::Result<()> {
    Ok(tcflush(io::stdin(), QueueSelector::IFlush)?)
}

/// The next line that is typed at the terminal; without its line break if input ends before it.
/// `None` once the other end of `asked` is closed: then nobody waits for it, and what is typed is
/// left for the next question.
pub(crate) fn line(asked: &PipeReader) -> io::Result<Option<String>> {
    // Not through the standard library: its buffer would take more than the line.
    let terminal = io::stdin();
    let mut line = Vec::new();
    while line.last() != Some(&b'\n') {
        let mut ready =
            [PollFd::new(asked, PollFlags::empty()), PollFd::new(&terminal, PollFlags::IN)];
        retry_on_intr(|| poll(&mut ready, None))?;
        if !ready[0].revents().is_empty() {
            return Ok(None);
        }
        let mut typed = [0; 4096];
        match retry_on_intr(|| rustix::io::read(&terminal, &mut typed))? {
            0 => break,
            len => line.extend_from_slice(&typed[..len]),
        }
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}
