//! One text that is offered for the end of a line.

use silcrow_console::edit::LineOffer;
use silcrow_sanitize::sanitize_line;

/// Returns what is shown, safely, with a few words about it, and what takes the place of the typed text.
pub(super) fn offer(shown: &str, about: &str, replacement: String) -> LineOffer {
    let safe = |text: &str| sanitize_line(text).into_owned();
    LineOffer { shown: safe(shown), about: safe(about), replacement }
}
