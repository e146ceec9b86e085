//! Sets the known limits of an agent's model.
//!
//! Limits that a person named take precedence, then those learned during a run, then presumed ones.

use std::sync::{Arc, OnceLock};

use silcrow_context::ModelLimits;

use crate::agent::Agent;

impl Agent {
    /// Sets the limits of the model. A limit that is not set may still be found out later.
    #[must_use]
    pub fn with_model_limits(self, limits: ModelLimits) -> Self {
        self.with(|options| options.model = limits)
    }

    /// Sets a source of limits without a setting, which is read before each step, because they may
    /// become known while a run lasts, such as from the server's list of models.
    ///
    /// ```
    /// # use std::sync::{Arc, OnceLock};
    /// # use silcrow_agent::Agent;
    /// # use silcrow_context::ModelLimits;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let later = Arc::new(OnceLock::new());
    /// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new())
    ///     .with_later_limits(Arc::clone(&later));
    /// later.set(ModelLimits::default().with_context(32_768)).unwrap();
    /// ```
    #[must_use]
    pub fn with_later_limits(mut self, limits: Arc<OnceLock<ModelLimits>>) -> Self {
        self.parts_mut().later_limits = limits;
        self
    }

    /// Sets fallback limits, used if neither a setting nor [later limits](Self::with_later_limits)
    /// provide one, such as limits from a table that may be older than the model.
    #[must_use]
    pub fn with_presumed_limits(mut self, limits: ModelLimits) -> Self {
        self.parts_mut().presumed_limits = limits;
        self
    }
}
