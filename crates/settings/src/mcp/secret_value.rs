//! The values for a server that count as secrets.
//!
//! This module checks values from any source.

use silcrow_sanitize::Secret;

/// Returns a value as a secret, unless it is something else, such as a path or a word.
pub(crate) fn secret(name: &str, value: &str) -> Option<Secret> {
    let is_other = value.len() < SHORTEST_SECRET
        || value.starts_with('/')
        || value.contains(char::is_whitespace);
    (!is_other).then(|| Secret::new(value, name))
}

/// The length of the shortest value of a variable that is masked, in bytes. A shorter one may be a
/// word.
const SHORTEST_SECRET: usize = 8;
