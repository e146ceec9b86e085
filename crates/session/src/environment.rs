//! Reading variables of the environment. The modules that use a variable know its meaning.

use silcrow_settings::EnvironmentVariables;

/// Returns the value of a variable, unless it is blank.
pub(crate) fn set(variable: &str) -> Option<String> {
    EnvironmentVariables::of_process().get(variable)
}
