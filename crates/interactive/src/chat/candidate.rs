//! One text that is offered for the end of a line.

use silcrow_console::edit::LineOffer;
use silcrow_sanitize::sanitize_line;

/// Returns an offer: a sanitized text to show, a few words about it, and the replacement for the
/// typed text.
pub(super) fn offer(shown: &str, about: &str, replacement: String) -> LineOffer {
    let safe = |text: &str| sanitize_line(text).into_owned();
    LineOffer { shown: safe(shown), about: safe(about), replacement }
}
