//! The two streams to which lines are written: the answer, and everything else.

use std::fmt;
use std::io::{self, IsTerminal as _, Write};

/// The streams of a [`Screen`](crate::screen::Screen).
pub struct ConsoleOutput {
    pub(crate) answer: Box<dyn Write + Send>,
    pub(crate) aside: Box<dyn Write + Send>,
    pub(crate) is_answer_terminal: bool,
    pub(crate) is_aside_terminal: bool,
}

impl ConsoleOutput {
    /// Returns standard output for the answer and standard error for everything else.
    pub fn of_process() -> Self {
        Self {
            answer: Box::new(io::stdout()),
            aside: Box::new(io::stderr()),
            is_answer_terminal: io::stdout().is_terminal(),
            is_aside_terminal: io::stderr().is_terminal(),
        }
    }

    /// Returns two writers that are pipes or files: `answer` gets the answer byte for byte, and
    /// `aside` everything else.
    ///
    /// ```
    /// use silcrow_console::ConsoleOutput;
    ///
    /// let output = ConsoleOutput::new(Vec::new(), std::io::sink());
    /// # drop(output);
    /// ```
    pub fn new(answer: impl Write + Send + 'static, aside: impl Write + Send + 'static) -> Self {
        Self {
            answer: Box::new(answer),
            aside: Box::new(aside),
            is_answer_terminal: false,
            is_aside_terminal: false,
        }
    }

    /// Returns whether the answer goes to a terminal, on which a person reads it while it is
    /// written.
    pub const fn is_answer_on_terminal(&self) -> bool {
        self.is_answer_terminal
    }

    /// Says that both writers lead to the same terminal: the answer is then sanitized, and no other
    /// line breaks into one of its lines.
    #[must_use]
    pub fn on_one_terminal(self) -> Self {
        Self { is_answer_terminal: true, is_aside_terminal: true, ..self }
    }
}

impl fmt::Debug for ConsoleOutput {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ConsoleOutput")
            .field("is_answer_terminal", &self.is_answer_terminal)
            .field("is_aside_terminal", &self.is_aside_terminal)
            .finish_non_exhaustive()
    }
}
