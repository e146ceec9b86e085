//! One text that Tab offers.

use rustyline::completion::Pair;
use silcrow_sanitize::sanitize_line;

/// Returns what is shown, safely, and what takes the place of the typed text.
pub(super) fn pair(shown: &str, replacement: String) -> Pair {
    Pair { display: sanitize_line(shown).into_owned(), replacement }
}
