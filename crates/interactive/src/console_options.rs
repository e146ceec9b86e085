//! How a console shows the runs of a session.

use silcrow_console::ToolFacts;
use silcrow_console::options::{ConsoleOptions, ShownParts, TextPieces, Thoughts};
use silcrow_console::styles;
use silcrow_exec::ModelPrice;
use silcrow_shell::{has_failed_command, time_limit};

/// Returns how a live screen shows runs of a model with this price.
pub(crate) fn live(
    show: &ShownParts,
    stream: TextPieces,
    price: Option<ModelPrice>,
) -> ConsoleOptions {
    let mut options = plain_console();
    options.theme = styles::theme(show.theme);
    options.thoughts = if show.quiet { Thoughts::Off } else { show.thoughts.unwrap_or_default() };
    options.detail = show.detail();
    options.diff = show.diff(true);
    options.tokens = stream == TextPieces::Token;
    options.price = price;
    options.status = show.status.unwrap_or_default();
    options
}

/// Returns how runs are shown as lines. `streams_answer` says whether the answer is written as it
/// comes.
pub(crate) fn lines(show: &ShownParts, tokens: bool, streams_answer: bool) -> ConsoleOptions {
    let mut options = plain_console();
    options.detail = show.detail();
    options.diff = show.diff(false);
    options.tokens = tokens;
    options.streams_answer = streams_answer;
    options
}

/// Returns how a console shows complete units of text, with the facts of the built-in tools: which
/// commands have failed, and how long a call may take.
///
/// ```
/// assert!(!silcrow_interactive::plain_console().tokens);
/// ```
pub fn plain_console() -> ConsoleOptions {
    let mut options = ConsoleOptions::new();
    options.tokens = false;
    options.calls = ToolFacts { has_failed: has_failed_command, time_limit };
    options
}
