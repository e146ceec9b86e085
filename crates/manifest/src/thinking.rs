//! How much the model of an agent or an `llm` thinks, as the manifest declares it.

use silcrow_models::{Environment, has_sampling_field};
use silcrow_provider::{Sampling, SamplingField};

use crate::written::{WrittenAgent, WrittenLlm};

impl WrittenAgent {
    /// Returns the values that are written here, and nothing else.
    pub(crate) fn thinking(&self) -> Sampling {
        let mut thinking = Sampling::new();
        thinking.effort = self.effort;
        thinking.thinking_budget = self.thinking_budget;
        thinking.thinking_display = self.thinking_display;
        thinking
    }
}

impl WrittenLlm {
    /// Returns the values that are written here, and nothing else.
    pub(crate) fn thinking(&self) -> Sampling {
        let mut thinking = Sampling::new();
        thinking.effort = self.effort;
        thinking.thinking_budget = self.thinking_budget;
        thinking.thinking_display = self.thinking_display;
        thinking
    }
}

/// Returns the sampling of a run with the declared values. Effort and budget mean the same, so a
/// declared one replaces both values of the run.
pub(crate) fn with_thinking(run: &Sampling, written: Sampling) -> Sampling {
    let mut run = run.clone();
    if written.effort.is_some() || written.thinking_budget.is_some() {
        run.effort = None;
        run.thinking_budget = None;
    }
    written.or(&run)
}

/// Returns a value that is written for a model that does not have it.
pub(crate) fn missing(model: &str, written: &Sampling) -> Option<SamplingField> {
    // The environment matters only for the temperature, which no manifest sets.
    let environment = Environment::from_vars::<&str, &str>([]);
    let has = |field| has_sampling_field(&environment, model, field).unwrap_or(true);
    SamplingField::ALL.into_iter().find(|field| written.has(*field) && !has(*field))
}
