//! The terminal that a live screen draws on.
//!
//! It may be the terminal of the process, or anything that obeys a few escape sequences and has a
//! size, such as an emulator in a test.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};

use super::signs::LineSigns;
use crate::size::TerminalSize;

/// A terminal to draw on.
///
/// ```
/// use silcrow_console::live::{LiveTerminal, TerminalSize};
///
/// let size = TerminalSize { columns: 80, rows: 24 };
/// let terminal = LiveTerminal::new(Vec::new(), move || size).without_unicode();
/// # drop(terminal);
/// ```
pub struct LiveTerminal {
    pub(super) out: Box<dyn Write + Send>,
    /// Whether the run goes on while the terminal takes output.
    pub(super) is_slow: bool,
    pub(super) size: Box<dyn Fn() -> TerminalSize + Send>,
    pub(super) signs: LineSigns,
    /// The output of the exact answer, unless it is shown on the terminal.
    pub(super) answer: Option<Box<dyn Write + Send>>,
}

impl LiveTerminal {
    /// Returns the terminal of this process: standard output, or standard error if standard output
    /// is a pipe or a file, which then gets the exact answer. Symbols are Unicode if the locale is
    /// UTF-8 or unset.
    ///
    /// A run does not wait until the terminal has taken a drawing; drawings for which a slow one
    /// has no time are left out.
    pub fn of_process() -> Self {
        let shares = io::stdout().is_terminal();
        let out: Box<dyn Write + Send> =
            if shares { Box::new(io::stdout()) } else { Box::new(io::stderr()) };
        Self {
            out,
            is_slow: true,
            size: Box::new(TerminalSize::now),
            signs: LineSigns::of_locale(),
            answer: (!shares).then(|| -> Box<dyn Write + Send> { Box::new(io::stdout()) }),
        }
    }

    /// Returns a terminal that a writer leads to. `size` is asked before each drawing.
    pub fn new(
        out: impl Write + Send + 'static,
        size: impl Fn() -> TerminalSize + Send + 'static,
    ) -> Self {
        let (out, size) = (Box::new(out), Box::new(size));
        Self { out, is_slow: false, size, signs: LineSigns::UNICODE, answer: None }
    }

    /// Sets a writer that gets the exact answer, which is then not shown on the terminal.
    #[must_use]
    pub fn with_answer_to(self, answer: impl Write + Send + 'static) -> Self {
        Self { answer: Some(Box::new(answer)), ..self }
    }

    /// Uses signs of ASCII only.
    #[must_use]
    pub fn without_unicode(self) -> Self {
        Self { signs: LineSigns::ASCII, ..self }
    }
}

impl fmt::Debug for LiveTerminal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = (self.size)();
        out.debug_struct("LiveTerminal").field("size", &size).finish_non_exhaustive()
    }
}
