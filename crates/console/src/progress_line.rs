//! A line on the error stream that shows how much was done, once a second.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// The line. Work that takes less than a second shows no line.
#[derive(Debug)]
pub struct ProgressLine {
    program: &'static str,
    shown: Instant,
    is_terminal: bool,
    is_on_screen: bool,
}

impl ProgressLine {
    /// Creates the line. `program` precedes its words.
    ///
    /// ```
    /// let mut line = silcrow_console::ProgressLine::new("copier");
    /// line.show(|| "3 of 9 files".to_owned());
    /// line.clear();
    /// ```
    pub fn new(program: &'static str) -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { program, shown: Instant::now(), is_terminal, is_on_screen: false }
    }

    /// Shows the words, if a second has passed.
    pub fn show(&mut self, words: impl FnOnce() -> String) {
        if self.shown.elapsed() < SECOND {
            return;
        }
        self.shown = Instant::now();
        let line = format!("{}: {}", self.program, words());
        // If stderr is closed, the progress is lost.
        let _ = match self.is_terminal {
            true => write!(io::stderr(), "\r\x1b[2K{line}"),
            false => writeln!(io::stderr(), "{line}"),
        };
        self.is_on_screen = self.is_terminal;
    }

    /// Takes the line off a terminal.
    pub fn clear(&mut self) {
        if self.is_on_screen {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}

const SECOND: Duration = Duration::from_secs(1);
