//! The arguments about how the model writes, as clap reads them.

use silcrow_provider::{Effort, Sampling, ThinkingDisplay};

use super::values::{effort, max_tokens, temperature, thinking_display};

/// The arguments of sampling. Not every model has all of them.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "How the model writes")]
pub(crate) struct SamplingArgs {
    /// Sampling temperature, from 0 to 2
    #[arg(long, value_name = "N", value_parser = temperature)]
    pub(crate) temperature: Option<f64>,
    /// Maximum tokens of an answer, thoughts included
    #[arg(long, value_name = "N", value_parser = max_tokens)]
    pub(crate) max_tokens: Option<u32>,
    /// How much it thinks: none, minimal, low up to max
    #[arg(long, value_name = "LEVEL", value_parser = effort())]
    pub(crate) effort: Option<Effort>,
    /// The most tokens of its thoughts; 0 for none
    #[arg(long, value_name = "N")]
    pub(crate) thinking_budget: Option<u32>,
    /// What its server sends of them: omitted, summarized or detailed
    #[arg(long, value_name = "HOW", value_parser = thinking_display())]
    pub(crate) thinking_display: Option<ThinkingDisplay>,
    /// The seed of the chance, with which some servers repeat an answer
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u32>,
    /// A text before which an answer ends; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) stop: Vec<String>,
}

impl SamplingArgs {
    pub(crate) fn to_sampling(&self) -> Sampling {
        let mut sampling = Sampling::new();
        sampling.temperature = self.temperature;
        sampling.max_tokens = self.max_tokens;
        sampling.effort = self.effort;
        sampling.thinking_budget = self.thinking_budget;
        sampling.thinking_display = self.thinking_display;
        sampling.seed = self.seed;
        sampling.stop.clone_from(&self.stop);
        sampling
    }
}
