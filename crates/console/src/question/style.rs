//! The width and the colours of a question.

use crate::size::TerminalSize;
use crate::styles::is_colored;

/// The style of a question.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "who asks knows both")]
pub struct QuestionStyle {
    /// The number of columns of the terminal.
    pub columns: usize,
    /// Whether the terminal has colours.
    pub color: bool,
}

impl QuestionStyle {
    /// Returns the style for the terminal at standard error.
    pub fn of_process() -> Self {
        Self { columns: TerminalSize::now().columns, color: is_colored() }
    }
}
