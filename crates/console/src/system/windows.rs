//! A console of Windows.

use std::io::{self, IsTerminal as _, PipeReader};
use std::time::Duration;

use crossterm::event::{poll, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode, size};
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

use super::{HANGUP, INTERRUPT, TERMINATE};

/// The signals that end a process.
#[derive(Debug)]
pub(crate) struct ConsoleSignals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
    hangup: CtrlClose,
}

impl ConsoleSignals {
    /// Begins to listen.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: ctrl_c()?, terminate: ctrl_break()?, hangup: ctrl_close()? })
    }

    /// Waits for one of the signals and returns its number on other systems.
    pub(crate) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPT,
            _ = self.terminate.recv() => TERMINATE,
            _ = self.hangup.recv() => HANGUP,
        }
    }
}

/// A value that takes Ctrl-C while it lives.
pub(crate) type IgnoredCtrlC = CtrlC;

/// Keeps Ctrl-C from ending this process while the value lives.
pub(crate) fn ignore_interrupts() -> Option<IgnoredCtrlC> {
    ctrl_c().ok()
}

/// Does nothing: a process cannot be stopped and continued by a person here.
#[expect(clippy::unnecessary_wraps, reason = "it fails on other systems")]
pub(crate) const fn stop_process() -> io::Result<()> {
    Ok(())
}

/// Returns the number of columns and rows of the console.
pub(crate) fn terminal_size() -> Option<(u16, u16)> {
    size().ok()
}

/// Discards the keys that were pressed and not read yet.
pub(crate) fn forget_typed() -> io::Result<()> {
    if !io::stdin().is_terminal() {
        return Err(io::Error::other("standard input is not a console"));
    }
    while poll(Duration::ZERO)? {
        read()?;
    }
    Ok(())
}

/// Reads a line from the console. It waits for the line also when nobody waits for the answer any more: a
/// console and a pipe cannot be awaited together.
pub(crate) fn typed_line(_: &PipeReader) -> io::Result<Option<String>> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(Some(line))
}

/// Returns whether this process has a console to read keys from.
pub(crate) fn has_key_terminal() -> bool {
    io::stdin().is_terminal()
}

/// The console that keys come from, which crossterm opens itself.
#[derive(Debug)]
pub(crate) struct KeyConsole(());

impl KeyConsole {
    /// Checks that the process has a console.
    pub(crate) fn open() -> io::Result<Self> {
        match has_key_terminal() {
            true => Ok(Self(())),
            false => Err(io::Error::other("standard input is not a console")),
        }
    }

    /// Waits for a key, but no longer than this, and returns whether the console is gone.
    pub(crate) fn is_hung_up(&self, wait: Duration) -> bool {
        let Self(()) = self;
        poll(wait).is_err()
    }
}

/// A console in raw mode, which shows no keys.
#[derive(Debug)]
pub(crate) struct QuietConsole(());

impl QuietConsole {
    /// Keeps the console from showing keys, and from doing something about them.
    pub(crate) fn begin() -> io::Result<Self> {
        enable_raw_mode().map(Self)
    }

    /// Makes the console as it was before.
    pub(crate) fn end(&self) {
        let Self(()) = self;
        // There is nobody to tell if the console is gone.
        let _ = disable_raw_mode();
    }
}

/// Asks nothing: the console has no answer to read.
pub(crate) const fn ask_terminal(_: &[u8], _: fn(&[u8]) -> bool, _: Duration) -> Vec<u8> {
    Vec::new()
}
