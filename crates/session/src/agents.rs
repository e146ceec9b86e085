//! The agents of a session: one with everything that the options name, and one without tools.

use std::num::NonZeroUsize;
use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_context::GuideLength;
use silcrow_hooks::HookedSource;
use silcrow_settings::known_secrets;
use silcrow_store::MemoryStore;
use silcrow_tool::{Approver, WithPermissions};

use crate::coding;
use crate::manifest::{self, ManifestServers};
use crate::model;
use crate::model_senses::with_senses;
use crate::options::presumed_limits;
use crate::plan_mode::ModeTools;
use crate::servers::RunServers;
use crate::session::AgentSession;
use crate::subagents::with_subagents;
use crate::surroundings::run_text;
use crate::telemetry;
use crate::workflow::with_workflow;

impl AgentSession {
    /// Makes an agent, which asks `approver` about calls that the policy leaves open. It has the
    /// servers that were begun, and the profile of the person.
    pub fn agent(&self, approver: impl Approver + 'static) -> Agent {
        let (setup, options) = (&self.setup, &self.setup.options);
        let store = self.store();
        let permissions = Arc::clone(setup.permissions.policy());
        let agent = Agent::new(Arc::clone(&setup.asking), Arc::clone(&store))
            .with_approver(WithPermissions::new(permissions, approver))
            .with_dialect(setup.format)
            .with_guide(options.guide)
            .with_data_marks(options.has_data_marks)
            .with_examples(setup.examples.clone())
            .with_root(&options.root, setup.root_identity.clone())
            .with_secrets(self.secrets())
            .with_mode(options.mode)
            .with_sampling(options.sampling.clone())
            .with_model_limits(options.window.limits())
            .with_presumed_limits(presumed_limits(&setup.model))
            .with_later_limits(Arc::clone(&setup.later_limits))
            .with_compaction(options.window.compaction())
            .with_calls(options.calls)
            .with_eager(options.eager)
            .with_max_steps(options.max_steps.get())
            .with_budget(options.budget)
            .with_prices(setup.prices.clone())
            .with_streaming(options.streams);
        let agent = telemetry::observed(with_senses(agent, setup));
        let agent = agent.with_instruction_texts(setup.instructions.texts.clone());
        let agent = self.with_texts(agent);
        let agent = with_parallel(agent, options.max_parallel);
        let vars = options.vars.iter().cloned();
        let agent = vars.fold(agent, |agent, (name, value)| agent.with_preset(name, value));
        let agent = setup.user.clone().into_iter().fold(agent, Agent::with_user);
        let agent = match setup.place.spills() {
            Some(spills) => agent.with_spill(spills),
            None => agent,
        };
        let (tools, servers, mode) = (setup.tools.clone(), self.servers.clone(), self.mode());
        let agent = match &setup.manifest {
            Some(manifest) => {
                let provider = Arc::clone(&setup.provider);
                let sources = ManifestServers::new(servers, mode, &store);
                manifest::equip(agent, (tools, sources), manifest.clone(), provider, store)
            }
            None => {
                let person = servers.as_ref().and_then(RunServers::elicitor);
                let servers =
                    servers.map(|servers| HookedSource::new(servers.tools(), &setup.hooks));
                let source = ModeTools::new(servers, mode, &store, person);
                agent.with_tools(tools).with_tool_source(source)
            }
        };
        // It comes last, so that subagents have all other tools.
        let agent = if setup.has_workflow { with_workflow(agent) } else { agent };
        match setup.has_subagents {
            true => with_subagents(agent, setup.subagents.clone()),
            false => agent,
        }
    }

    /// Returns a maker of agents without tools, for tasks beside a chat such as finding a title.
    /// Each forgets everything when it is dropped. They have the model and the limits of this
    /// session, and read no instructions.
    pub fn plain(&self) -> impl Fn() -> Agent + Send + Sync + use<> {
        let (setup, options) = (&self.setup, &self.setup.options);
        let (provider, prices) = (Arc::clone(&setup.provider), setup.prices.clone());
        let limits = Arc::clone(&setup.later_limits);
        // Instructions about calls are not needed.
        let guide = match options.guide {
            GuideLength::Full | GuideLength::Calls => GuideLength::Brief,
            guide => guide,
        };
        let (format, mode) = (setup.format, options.mode);
        let (sampling, model) = (options.sampling.clone(), options.window.limits());
        let presumed = presumed_limits(&setup.model);
        let (budget, steps, streams) = (options.budget, options.max_steps.get(), options.streams);
        move || {
            Agent::new(Arc::clone(&provider), MemoryStore::new())
                .with_dialect(format)
                .with_guide(guide)
                .with_secrets(known_secrets())
                .with_mode(mode)
                .with_sampling(sampling.clone())
                .with_model_limits(model)
                .with_presumed_limits(presumed)
                .with_later_limits(Arc::clone(&limits))
                .with_max_steps(steps)
                .with_budget(budget)
                .with_prices(prices.clone())
                .with_streaming(streams)
        }
    }

    /// Gives an agent the person's instructions, and the facts of this run.
    fn with_texts(&self, agent: Agent) -> Agent {
        let (setup, options) = (&self.setup, &self.setup.options);
        // The requests of a recording are the same on another day and another machine.
        let is_recorded = model::is_recorded(&setup.model);
        let codes = !is_recorded && options.teaches_coding && coding::has_code(&options.root);
        let agent = match &setup.instructions.given {
            Some(text) => agent.with_instructions(text),
            None if codes => agent.with_instructions(coding::GUIDE),
            None => agent,
        };
        let profile = self.profile.clone();
        let run_text = match is_recorded {
            true => profile,
            false => Some(run_text(&options.root, codes, profile)),
        };
        run_text.into_iter().fold(agent, Agent::with_run_text)
    }
}

/// Sets the maximum number of concurrent calls.
fn with_parallel(agent: Agent, most: Option<NonZeroUsize>) -> Agent {
    let Some(most) = most else { return agent };
    let mut options = agent.options().clone();
    options.plan.max_parallel = most.get();
    options.runner.max_parallel = most;
    agent.with_options(options)
}
