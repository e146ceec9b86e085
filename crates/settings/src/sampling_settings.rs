//! A model's sampling parameters, each with its source.

use silcrow_provider::{Effort, Sampling, SamplingField, ThinkingDisplay};

use crate::source::{SettingSource, Sourced};

/// The sampling parameters and stop sequences of a model. Not every model has all of them.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SamplingSettings {
    /// The freedom of the choice, from 0 to 2.
    pub temperature: Option<Sourced<f64>>,
    /// The most tokens of an answer.
    pub max_tokens: Option<Sourced<u32>>,
    /// The amount of thinking.
    pub effort: Option<Sourced<Effort>>,
    /// The most tokens of thoughts.
    pub thinking_budget: Option<Sourced<u32>>,
    /// The part of the thoughts that the server sends.
    pub thinking_display: Option<Sourced<ThinkingDisplay>>,
    /// The seed of the chance.
    pub seed: Option<Sourced<u32>>,
    /// Texts before which an answer ends.
    pub stop: Option<Sourced<Vec<String>>>,
}

impl SamplingSettings {
    /// Returns the source of a field's value, if it has one.
    pub fn source(&self, field: SamplingField) -> Option<&SettingSource> {
        match field {
            SamplingField::Temperature => self.temperature.as_ref().map(|found| &found.source),
            SamplingField::MaxTokens => self.max_tokens.as_ref().map(|found| &found.source),
            SamplingField::Effort => self.effort.as_ref().map(|found| &found.source),
            SamplingField::ThinkingBudget => {
                self.thinking_budget.as_ref().map(|found| &found.source)
            }
            SamplingField::ThinkingDisplay => {
                self.thinking_display.as_ref().map(|found| &found.source)
            }
            SamplingField::Seed => self.seed.as_ref().map(|found| &found.source),
            SamplingField::Stop => self.stop.as_ref().map(|found| &found.source),
            _ => None,
        }
    }

    /// Removes the value of a field that a model does not support.
    pub fn clear(&mut self, field: SamplingField) {
        match field {
            SamplingField::Temperature => self.temperature = None,
            SamplingField::MaxTokens => self.max_tokens = None,
            SamplingField::Effort => self.effort = None,
            SamplingField::ThinkingBudget => self.thinking_budget = None,
            SamplingField::ThinkingDisplay => self.thinking_display = None,
            SamplingField::Seed => self.seed = None,
            SamplingField::Stop => self.stop = None,
            _ => {}
        }
    }

    /// Returns the values without their sources.
    pub fn to_sampling(&self) -> Sampling {
        let mut sampling = Sampling::new();
        sampling.temperature = self.temperature.as_ref().map(|found| found.value);
        sampling.max_tokens = self.max_tokens.as_ref().map(|found| found.value);
        sampling.effort = self.effort.as_ref().map(|found| found.value);
        sampling.thinking_budget = self.thinking_budget.as_ref().map(|found| found.value);
        sampling.thinking_display = self.thinking_display.as_ref().map(|found| found.value);
        sampling.seed = self.seed.as_ref().map(|found| found.value);
        sampling.stop = self.stop.iter().flat_map(|found| found.value.clone()).collect();
        sampling
    }
}
