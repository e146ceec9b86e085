//! Reading variables of the environment. The modules that use a variable know its meaning.

use std::env;

/// Returns the value of a variable, unless it is blank.
pub(crate) fn set(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|text| !text.trim().is_empty())
}
