//! The variables of the environment.

use std::env;

/// Returns what a variable says, if it says anything.
pub(crate) fn set(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|text| !text.trim().is_empty())
}
