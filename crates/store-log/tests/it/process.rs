//! What a campaign prints, and how long it is.

use std::io::Write as _;

/// Prints one line, in one write.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// How often a campaign does what it does, or another number of it: what the variable `name` says,
/// or `usual`.
pub(crate) fn rounds(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |rounds| rounds.parse().unwrap())
}
