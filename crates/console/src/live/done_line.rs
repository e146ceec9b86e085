//! A line that is complete, on its way to the screen.

use silcrow_term::Line;

/// A line that is written once.
pub(super) enum DoneLine {
    /// A row that fits into the terminal, unless that has become narrower.
    Row(Line),
    /// A text with its colours, of any width.
    Written(String),
}
