//! What a live screen shows, and how.

use silcrow_exec::ModelPrice;
use silcrow_term::Theme;

use crate::args::{Detail, DiffShown, ShowArgs, Stream, Thoughts};
use crate::styles;

/// How a screen shows runs.
#[derive(Clone, Copy)]
pub(crate) struct LiveOptions {
    pub(crate) theme: Theme,
    pub(crate) thoughts: Thoughts,
    pub(crate) detail: Detail,
    pub(crate) diff: DiffShown,
    /// What shows the whole of a change.
    pub(crate) whole: &'static str,
    /// Whether text is shown as it is written rather than in complete units.
    pub(crate) tokens: bool,
    /// The price of the model, if it is known.
    pub(crate) price: Option<ModelPrice>,
}

impl LiveOptions {
    /// Returns the options that the arguments name.
    pub(crate) fn new(show: &ShowArgs, stream: Stream, price: Option<ModelPrice>) -> Self {
        Self {
            theme: styles::theme(show.theme),
            thoughts: if show.quiet { Thoughts::Off } else { show.thoughts.unwrap_or_default() },
            detail: show.detail(),
            diff: show.diff(true),
            whole: "silcrow diff",
            tokens: stream == Stream::Token,
            price,
        }
    }
}
