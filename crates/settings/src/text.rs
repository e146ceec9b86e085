//! Text that is shown on one line.

use silcrow_sanitize::sanitize;

/// Returns the text as one line of at most `most` characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = sanitize(text).replace('\n', "⏎").replace('\t', " ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Returns a number with its noun, which ends in `s` unless it is one thing.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
