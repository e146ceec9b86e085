//! Says how a console shows runs, as a plain value.
//!
//! A program fills in the value from its arguments, settings and environment.

use silcrow_exec::ModelPrice;
use silcrow_term::Theme;

mod detail;
mod shown;
mod status_parts;

pub use detail::{Detail, DiffShown, NotifyWay, StatusPart, ThemeName, Thoughts};
pub use shown::{ShownParts, TextPieces};
pub use status_parts::StatusParts;

use crate::tool_facts::ToolFacts;

/// The way in which a [`Screen`](crate::screen::Screen) or a [`LiveScreen`](crate::live::LiveScreen)
/// shows runs.
///
/// ```
/// use silcrow_console::options::{ConsoleOptions, Detail, Thoughts};
///
/// let mut options = ConsoleOptions::new();
/// options.detail = Detail::Brief;
/// options.thoughts = Thoughts::Off;
/// assert!(options.tokens);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConsoleOptions {
    /// The colours, on a live screen; lines have none.
    pub theme: Theme,
    /// The length of thoughts on a live screen; lines show all of them.
    pub thoughts: Thoughts,
    /// The amount that is shown. Lines support only [`Detail::Quiet`], and show everything in each
    /// other case.
    pub detail: Detail,
    /// The part of changes in files that is shown.
    pub diff: DiffShown,
    /// The command that shows the whole of a change, for the row that says how much is hidden.
    pub whole: &'static str,
    /// Whether text is shown as it is written rather than in complete units.
    pub tokens: bool,
    /// Whether the plain output writes the answer as it streams. Otherwise it writes the answer
    /// once it is final, without answers that the run has rejected.
    pub streams_answer: bool,
    /// The price of the model, if it is known, for showing the cost of a run.
    pub price: Option<ModelPrice>,
    /// The parts of the line of status.
    pub status: StatusParts,
    /// The facts about calls that only their tools know.
    pub calls: ToolFacts,
}

impl ConsoleOptions {
    /// Creates options for a person who reads along without colours: text as it is written, one line
    /// for each thought, and a line for each file that has changed.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Default for ConsoleOptions {
    fn default() -> Self {
        Self {
            theme: Theme::PLAIN,
            thoughts: Thoughts::Brief,
            detail: Detail::Normal,
            diff: DiffShown::Short,
            whole: "silcrow diff",
            tokens: true,
            streams_answer: false,
            price: None,
            status: StatusParts::default(),
            calls: ToolFacts::NONE,
        }
    }
}
