//! The variables of an environment: those of the process, or given ones.

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::sync::Arc;

/// The variables in which keys, addresses and limits of models are.
///
/// Values are never shown: `Debug` lists the names alone.
///
/// ```
/// use silcrow_models::Environment;
///
/// let given = Environment::of([("OPENAI_API_KEY", "sk-canary-0123"), ("SILCROW_MODEL", " ")]);
/// assert_eq!(given.get("OPENAI_API_KEY").as_deref(), Some("sk-canary-0123"));
/// assert_eq!(given.get("SILCROW_MODEL"), None);
/// ```
#[derive(Clone, Default)]
pub struct Environment(Option<Arc<BTreeMap<String, String>>>);

impl Environment {
    /// Creates the environment of this process. Each variable is read when it is needed.
    pub const fn process() -> Self {
        Self(None)
    }

    /// Creates an environment that has these variables only.
    pub fn of<N: Into<String>, V: Into<String>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(Some(Arc::new(variables.collect())))
    }

    /// Returns the value of a variable, unless it is blank or not Unicode.
    pub fn get(&self, variable: &str) -> Option<String> {
        let value = match &self.0 {
            Some(variables) => variables.get(variable).cloned(),
            None => env::var(variable).ok(),
        };
        value.filter(|text| !text.trim().is_empty())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(variables) => f.debug_set().entries(variables.keys()).finish(),
            None => f.write_str("Environment::process()"),
        }
    }
}
