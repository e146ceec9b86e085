//! A terminal on Unix.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, PipeReader, Write as _};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{fcntl_dupfd_cloexec, retry_on_intr};
use rustix::process::{getpid, kill_process};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr,
    tcgetwinsize, tcsetattr,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{HANGUP, INTERRUPT, TERMINATE};

/// The signals that end a process.
#[derive(Debug)]
pub(crate) struct EndSignals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
}

impl EndSignals {
    /// Begins to listen. A SIGHUP that the process was started to ignore stays ignored.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// Waits for one of the signals and returns its number.
    pub(crate) async fn next(&mut self) -> u8 {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPT,
            _ = self.terminate.recv() => TERMINATE,
            _ = hangup => HANGUP,
        }
    }
}

/// Returns whether the process was started to ignore SIGHUP, if the system tells.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 << (HANGUP - 1) != 0)
}

/// A value that takes Ctrl-C while it lives.
pub(crate) type IgnoredInterrupts = Signal;

/// Keeps Ctrl-C from ending this process while the value lives.
pub(crate) fn ignore_interrupts() -> Option<IgnoredInterrupts> {
    signal(SignalKind::interrupt()).ok()
}

/// Stops this process, as Ctrl-Z does, until it is continued.
pub(crate) fn stop_process() -> io::Result<()> {
    Ok(kill_process(getpid(), rustix::process::Signal::TSTP)?)
}

/// Returns the number of columns and rows of the terminal at standard error.
pub(crate) fn terminal_size() -> Option<(u16, u16)> {
    tcgetwinsize(io::stderr()).ok().map(|size| (size.ws_col, size.ws_row))
}

/// Discards unread input of the terminal.
pub(crate) fn forget_typed() -> io::Result<()> {
    Ok(tcflush(io::stdin(), QueueSelector::IFlush)?)
}

/// Reads a line from the terminal, or returns `None` once the other end of `asked` is closed.
pub(crate) fn typed_line(asked: &PipeReader) -> io::Result<Option<String>> {
    // The standard library's buffer would read more than the line.
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

/// Writes a question to the terminal, and returns the input until it is answered, but waits no
/// longer than this.
pub(crate) fn ask_terminal(
    question: &[u8],
    is_answered: fn(&[u8]) -> bool,
    wait: Duration,
) -> Vec<u8> {
    let (terminal, mut read) = (io::stdin(), Vec::new());
    let asked = if io::stdout().is_terminal() {
        io::stdout().write_all(question).and_then(|()| io::stdout().flush())
    } else {
        io::stderr().write_all(question)
    };
    let until = Instant::now() + wait;
    while asked.is_ok() && !is_answered(&read) {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).unwrap_or_default();
        let mut ready = [PollFd::new(&terminal, PollFlags::IN)];
        if !matches!(poll(&mut ready, Some(&left)), Ok(1..)) {
            break;
        }
        let mut bytes = [0; 256];
        match rustix::io::read(&terminal, &mut bytes) {
            Ok(0) | Err(_) => break,
            Ok(count) => read.extend_from_slice(&bytes[..count]),
        }
    }
    read
}

/// Returns whether this process has a terminal to read keys from.
pub(crate) fn has_key_terminal() -> bool {
    io::stdin().is_terminal() || File::open("/dev/tty").is_ok()
}

/// The terminal that keys come from.
#[derive(Debug)]
pub(crate) struct KeyTerminal(OwnedFd);

impl KeyTerminal {
    /// Opens the terminal.
    pub(crate) fn open() -> io::Result<Self> {
        if io::stdin().is_terminal() {
            return Ok(Self(fcntl_dupfd_cloexec(io::stdin(), 0)?));
        }
        Ok(Self(File::open("/dev/tty")?.into()))
    }

    /// Waits for a key, but no longer than this, and returns whether the terminal is gone. On a terminal
    /// that is gone crossterm would read forever.
    pub(crate) fn is_hung_up(&self, wait: Duration) -> bool {
        let mut state = [PollFd::new(&self.0, PollFlags::IN)];
        let wait = Timespec::try_from(wait).unwrap_or_default();
        let polled = poll(&mut state, Some(&wait));
        polled.is_ok() && state[0].revents().contains(PollFlags::HUP)
    }
}

/// The modes of the terminal at standard input before it became quiet.
#[derive(Debug)]
pub(crate) struct QuietModes(Termios);

impl QuietModes {
    /// Keeps the terminal from showing keys, and from doing something about them.
    pub(crate) fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        quiet.input_modes -= InputModes::ICRNL;
        tcsetattr(io::stdin(), OptionalActions::Now, &quiet)?;
        Ok(Self(before))
    }

    /// Makes the terminal as it was before.
    pub(crate) fn end(&self) {
        // There is nobody to tell if the terminal is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
