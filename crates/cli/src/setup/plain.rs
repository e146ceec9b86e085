//! The model of an agent without its tools, for tasks beside a chat such as finding a title.

use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_context::GuideLength;
use silcrow_settings::known_secrets;
use silcrow_store::MemoryStore;

use super::AgentSetup;
use crate::args::Stream;
use crate::options::AskOptions;

impl AgentSetup {
    /// Returns what makes agents without tools, each of which forgets everything when it is dropped.
    /// They have the model and the limits of this setup, and read no instructions.
    pub(crate) fn plain(&self, args: &AskOptions) -> impl Fn() -> Agent + Send + Sync + use<> {
        let (provider, prices) = (Arc::clone(&self.provider), self.prices.clone());
        let limits = self.window.limits();
        // What teaches calls is not needed.
        let guide = match args.guide {
            GuideLength::Full => GuideLength::Brief,
            guide => guide,
        };
        let (options, mode) = (self.options, args.mode);
        let (sampling, model) = (args.sampling.clone(), args.window.limits(&self.model));
        let budget = args.budget;
        let (steps, streams) = (args.max_steps.get(), args.stream != Some(Stream::None));
        move || {
            Agent::new(Arc::clone(&provider), MemoryStore::new())
                .with_dialect(options)
                .with_guide(guide)
                .with_secrets(known_secrets())
                .with_mode(mode)
                .with_sampling(sampling.clone())
                .with_model_limits(model)
                .with_later_limits(Arc::clone(&limits))
                .with_max_steps(steps)
                .with_budget(budget)
                .with_prices(prices.clone())
                .with_streaming(streams)
        }
    }
}
