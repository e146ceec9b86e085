//! Reading variables of the environment. The modules that use a variable interpret it.

use silcrow_settings::Environment;

/// Returns the value of a variable, unless it is blank.
pub(crate) fn set(variable: &str) -> Option<String> {
    Environment::process().get(variable)
}
