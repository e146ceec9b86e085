//! The key that is in the environment while no model is named, and the model that it suggests.
//!
//! This module has a usual model for each vendor. It asks no server.

use silcrow_environment::Environment;

/// A key in the environment, for which no model was chosen.
///
/// ```
/// use silcrow_models::{Environment, FoundKey};
///
/// let found = FoundKey::find(&Environment::from_vars([("GEMINI_API_KEY", "canary-0123")])).unwrap();
/// assert_eq!(found.variable, "GEMINI_API_KEY");
/// assert!(found.name().starts_with("gemini:"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundKey {
    /// The variable that has it, or that names its file or its command.
    pub variable: String,
    /// The model to suggest, unless the vendor's models are elsewhere or have the person's own names.
    pub model: Option<&'static str>,
    /// The shape of the names of the models that it opens.
    pub shape: &'static str,
}

impl FoundKey {
    /// Returns the first key in the environment, or `None` for an environment without keys.
    pub fn find(environment: &Environment) -> Option<Self> {
        VENDORS.iter().find_map(|(vendor, model, shape)| {
            let variable = format!("{vendor}_API_KEY");
            let beside = ["", "_FILE", "_COMMAND"].map(|end| format!("{variable}{end}"));
            let variable = beside.into_iter().find(|name| environment.get(name).is_some())?;
            // Another server has models of other names.
            let is_elsewhere = environment.get(&format!("{vendor}_BASE_URL")).is_some();
            let model = Some(*model).filter(|model| !model.is_empty() && !is_elsewhere);
            Some(Self { variable, model, shape })
        })
    }

    /// Returns the name to write in a command: the suggested one, or the shape of one.
    pub fn name(&self) -> &'static str {
        self.model.unwrap_or(self.shape)
    }
}

/// The prefixes of the vendors' variables, each with a usual model and with the shape of a model's
/// name. `silcrow models` lists the models that a key really opens.
const VENDORS: [(&str, &str, &str); 4] = [
    ("ANTHROPIC", "anthropic:claude-sonnet-4-5", "anthropic:MODEL"),
    ("OPENAI", "openai:gpt-5.1", "openai:MODEL"),
    ("GEMINI", "gemini:gemini-2.5-flash", "gemini:MODEL"),
    ("AZURE_OPENAI", "", "azure:DEPLOYMENT"),
];
