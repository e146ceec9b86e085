//! What Tab offers for a word.

use rustyline::completion::Pair;
use silcrow_sanitize::sanitize_line;

/// Returns an offer: what the person reads, and what replaces the typed word.
pub(super) fn pair(shown: &str, replacement: String) -> Pair {
    Pair { display: sanitize_line(shown).into_owned(), replacement }
}
