//! The key under which facts about a model are remembered.

use silcrow_environment::Environment;

/// Returns the key for facts that a program remembers about a model: the address of its server, if
/// the environment names one, and its name. A model inside this program has none.
///
/// The key may contain a password, so keep its hash.
///
/// ```
/// use silcrow_models::{Environment, server_key};
///
/// let environment = Environment::from_vars([("OPENAI_BASE_URL", "http://localhost:8080")]);
/// let key = server_key("openai:gpt-4o", &environment).unwrap();
/// assert_eq!(key, "http://localhost:8080\nopenai:gpt-4o");
/// assert_eq!(server_key("rehearsal", &environment), None);
/// ```
pub fn server_key(model: &str, environment: &Environment) -> Option<String> {
    let prefix = model.split_once(':')?.0.to_uppercase();
    let base = environment.get(&format!("{prefix}_BASE_URL")).unwrap_or_default();
    Some(format!("{base}\n{model}"))
}
