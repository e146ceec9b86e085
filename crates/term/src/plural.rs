//! Writes numbers of things in words, for a person.

/// Returns a number with its noun, which ends in `s` unless it is one thing.
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
