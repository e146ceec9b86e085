//! The differences of systems at a terminal: signals, keys, lines and modes.
//!
//! Each function has the same name and meaning in the module of every system. Only this file lists
//! the systems.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

#[cfg(unix)]
pub(crate) use self::unix::{
    EndSignals, IgnoredInterrupts, KeyTerminal, QuietModes, ask_terminal, forget_typed,
    has_key_terminal, ignore_interrupts, stop_process, terminal_size, typed_line,
};
#[cfg(not(unix))]
pub(crate) use self::windows::{
    ConsoleSignals as EndSignals, IgnoredCtrlC as IgnoredInterrupts, KeyConsole as KeyTerminal,
    QuietConsole as QuietModes, ask_terminal, forget_typed, has_key_terminal, ignore_interrupts,
    stop_process, terminal_size, typed_line,
};

/// The number of SIGHUP, and of a window that is closed.
pub(crate) const HANGUP: u8 = 1;
/// The number of SIGINT, and of Ctrl-C.
pub(crate) const INTERRUPT: u8 = 2;
/// The number of SIGTERM, and of Ctrl-Break.
pub(crate) const TERMINATE: u8 = 15;
