//! The limits of models from servers' lists, for requests that have to name a limit.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::known_model::known_model;
use crate::listed_model::ListedModel;

/// The limits of models that the lists of servers have named so far. Clones share it.
///
/// ```
/// use silcrow_vendors::{ListedLimits, ListedModel};
///
/// let limits = ListedLimits::default();
/// // The table counts until a list says something else.
/// assert_eq!(limits.output("anthropic:claude-opus-4-5"), Some(64_000));
/// let mut listed = ListedModel::new("claude-opus-4-5");
/// listed.output = Some(96_000);
/// limits.clone().learn("anthropic:claude-opus-4-5", listed);
/// assert_eq!(limits.output("anthropic:claude-opus-4-5"), Some(96_000));
/// assert_eq!(limits.window("anthropic:claude-opus-4-5"), Some(200_000));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ListedLimits {
    models: Arc<RwLock<BTreeMap<String, ListedModel>>>,
}

impl ListedLimits {
    /// Takes the limits that a list names for this model, such as `anthropic:claude-opus-4-5`.
    pub fn learn(&self, name: impl Into<String>, listed: ListedModel) {
        let mut models = self.models.write().unwrap_or_else(PoisonError::into_inner);
        models.insert(name.into(), listed);
    }

    /// Returns the window of a model from the vendor's list, or from the [table](known_model) if the list
    /// has none.
    pub fn window(&self, name: &str) -> Option<u64> {
        let listed = self.listed(name, |model| model.window);
        listed.or_else(|| Some(known_model(name)?.window))
    }

    /// Returns the maximum tokens of a model's answer, from the same source as the window.
    pub fn output(&self, name: &str) -> Option<u64> {
        let listed = self.listed(name, |model| model.output);
        listed.or_else(|| Some(known_model(name)?.output))
    }

    fn listed(&self, name: &str, limit: impl Fn(&ListedModel) -> Option<u64>) -> Option<u64> {
        let models = self.models.read().unwrap_or_else(PoisonError::into_inner);
        models.get(name).and_then(limit)
    }
}
