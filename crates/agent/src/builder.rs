//! The builder methods of an agent, one for each of its parts and settings.
//!
//! The settings are fields of [`AgentOptions`]; these methods are a shorter way to set them.

use std::path::PathBuf;
use std::sync::Arc;

use silcrow_accumulate::AnswerLimits;
use silcrow_context::{CompactionOptions, ContextAssembler, GuideLength, InstructionText};
use silcrow_event::{Entry, Json, Parked};
use silcrow_exec::{BudgetLimits, PriceTable, RunnerLimits};
use silcrow_parser as parser;
use silcrow_plan::PlanLimits;
use silcrow_provider::{Provider, Sampling};
use silcrow_tool::{
    Approver, DuplicateTool, Secrets, SerialApprover, Spill, Tool, ToolSource, Toolbox, Validator,
};

use crate::agent::Agent;
use crate::call_forms::CallForms;
use crate::observer::RunObserver;
use crate::options::{AgentOptions, AgentRoot, ConnectionMode, EagerStart};

impl Agent {
    /// Replaces the model. [Later](Self::with_later_limits) and [presumed
    /// limits](Self::with_presumed_limits) do not apply to the new model.
    #[must_use]
    pub fn with_provider(mut self, provider: impl Provider + 'static) -> Self {
        self.parts_mut().provider = Arc::new(provider);
        let parts = self.parts_mut();
        (parts.later_limits, parts.presumed_limits, parts.refused_media) = Default::default();
        self
    }

    /// Adds a tool.
    ///
    /// # Errors
    ///
    /// Returns [`DuplicateTool`] if the agent has a tool with this name.
    pub fn with_tool(mut self, tool: impl Tool + 'static) -> Result<Self, DuplicateTool> {
        Arc::make_mut(&mut self.parts_mut().tools).add(tool)?;
        Ok(self)
    }

    /// Replaces the tools.
    #[must_use]
    pub fn with_tools(mut self, tools: Toolbox) -> Self {
        self.parts_mut().tools = Arc::new(tools);
        self
    }

    /// Sets a source of further tools, which may change from one step of a run to the next. A tool
    /// of the agent counts before one of the same name in the source.
    #[must_use]
    pub fn with_tool_source(mut self, source: impl ToolSource + 'static) -> Self {
        self.parts_mut().tool_source = Some(Arc::new(source));
        self
    }

    /// Sets the approver of calls that need approval. It is asked about one after the other unless
    /// it [wants all questions at once](Approver::is_asked_at_once). By default all of them are
    /// denied.
    #[must_use]
    pub fn with_approver(mut self, approver: impl Approver + 'static) -> Self {
        self.parts_mut().approver = match approver.is_asked_at_once() {
            true => Arc::new(approver),
            false => Arc::new(SerialApprover::new(approver)),
        };
        self
    }

    /// Sets the validator of the arguments of calls;
    /// [`BasicValidator`](silcrow_tool::BasicValidator) by default.
    #[must_use]
    pub fn with_validator(mut self, validator: impl Validator + 'static) -> Self {
        self.parts_mut().validator = Arc::new(validator);
        self
    }

    /// Sets an observer of all runs, in addition to each run's caller.
    #[must_use]
    pub fn with_observer(mut self, observer: impl RunObserver + 'static) -> Self {
        self.parts_mut().observer = Some(Arc::new(observer));
        self
    }

    /// Sets the store for outputs of tools that are longer than their caps.
    #[must_use]
    pub fn with_spill(mut self, spill: impl Spill + 'static) -> Self {
        self.parts_mut().spill = Some(Arc::new(spill));
        self
    }

    /// Sets whether the outputs of tools are marked; `true` by default. It is one more help for a
    /// model against texts that claim to be somebody else's, and no wall.
    #[must_use]
    pub fn with_data_marks(self, data_marks: bool) -> Self {
        self.with(|options| options.data_marks = data_marks)
    }

    /// Sets the secrets that runs of this agent mask, and everything that its calls run: in
    /// prompts, in the results of calls, in stored long outputs, and in progress. They are found
    /// only as they are. None by default.
    ///
    /// The errors of a model are masked by [`MaskedErrors`](silcrow_provider::MaskedErrors), and
    /// recordings of it by [`Record`](silcrow_provider::record::Record).
    #[must_use]
    pub fn with_secrets(mut self, secrets: Secrets) -> Self {
        self.parts_mut().secrets = secrets;
        self
    }

    /// Sets the assembler of the messages of a request from the log;
    /// [`CompactedHistory`](silcrow_context::CompactedHistory) by default.
    #[must_use]
    pub fn with_context(mut self, context: impl ContextAssembler + 'static) -> Self {
        self.parts_mut().context = Arc::new(context);
        self
    }

    /// Replaces all settings.
    #[must_use]
    pub fn with_options(mut self, options: AgentOptions) -> Self {
        self.parts_mut().options = options;
        self
    }

    /// Sets the [dialect](AgentOptions::dialect).
    #[must_use]
    pub fn with_dialect(self, dialect: impl Into<parser::Options>) -> Self {
        self.with(|options| options.dialect = dialect.into())
    }

    /// Sets the dialect in which a turn that waits was written, so that the agent can continue it. A
    /// workflow has none, and changes nothing.
    #[must_use]
    pub fn with_dialect_of(self, parked: &Parked) -> Self {
        match parked.dialect.parse::<parser::Dialect>() {
            Ok(dialect) => {
                self.with_dialect(parser::Options::new(dialect).with_inline(parked.inline))
            }
            Err(_) => self,
        }
    }

    /// Sets how much of the dialect the system prompt [teaches](AgentOptions::guide).
    #[must_use]
    pub fn with_guide(self, guide: GuideLength) -> Self {
        self.with(|options| options.guide = guide)
    }

    /// Sets the [example conversation](AgentOptions::examples) that shows the model how to write
    /// and act.
    ///
    /// ```
    /// use silcrow_agent::Agent;
    /// use silcrow_event::Event;
    /// use silcrow_provider::ScriptedModel;
    /// use silcrow_store::MemoryStore;
    ///
    /// let examples = [Event::user("What is 2 + 2?"), Event::respond("2 + 2 is 4.")];
    /// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new())
    ///     .with_examples(examples.map(Into::into));
    /// assert_eq!(agent.options().examples.len(), 2);
    /// ```
    #[must_use]
    pub fn with_examples(self, examples: impl IntoIterator<Item = Entry>) -> Self {
        self.with(|options| options.examples = examples.into_iter().collect())
    }

    /// Sets the [identity](AgentOptions::identity) of the agent.
    #[must_use]
    pub fn with_identity(self, text: impl Into<String>) -> Self {
        self.with(|options| options.identity = Some(text.into()))
    }

    /// Sets instructions that [have an origin](AgentOptions::instruction_texts), such as the files of
    /// a project.
    ///
    /// ```
    /// use silcrow_agent::Agent;
    /// use silcrow_context::InstructionText;
    /// use silcrow_provider::ScriptedModel;
    /// use silcrow_store::MemoryStore;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let rules = InstructionText::of_project("AGENTS.md", "Run the tests.");
    /// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new())
    ///     .with_identity("You are Kim, who mends programs.")
    ///     .with_instruction_texts([rules]);
    /// let context = agent.next_context("new").await.unwrap();
    /// assert_eq!(context.system.last().unwrap().name, "AGENTS.md");
    /// assert!(context.messages[0].text().starts_with("You are Kim"));
    /// # });
    /// ```
    #[must_use]
    pub fn with_instruction_texts(self, texts: impl IntoIterator<Item = InstructionText>) -> Self {
        self.with(|options| options.instruction_texts = texts.into_iter().collect())
    }

    /// Sets the caller's own part of the system prompt.
    #[must_use]
    pub fn with_instructions(self, text: impl Into<String>) -> Self {
        self.with(|options| options.instructions = Some(text.into()))
    }

    /// Sets the part of the system prompt [for this run alone](AgentOptions::run_text).
    #[must_use]
    pub fn with_run_text(self, text: impl Into<String>) -> Self {
        self.with(|options| options.run_text = Some(text.into()))
    }

    /// Sets whether the provider sends its answers in [pieces](AgentOptions::streaming).
    #[must_use]
    pub fn with_streaming(self, streaming: bool) -> Self {
        self.with(|options| options.streaming = streaming)
    }

    /// Sets the sampling options of [each request](AgentOptions::sampling).
    #[must_use]
    pub fn with_sampling(self, sampling: Sampling) -> Self {
        self.with(|options| options.sampling = sampling)
    }

    /// Emits the text of calls while they are written.
    #[must_use]
    pub fn with_call_text(self) -> Self {
        self.with(|options| options.call_text = true)
    }

    /// Sets the number of [requests](AgentOptions::max_steps) that a run may make.
    #[must_use]
    pub fn with_max_steps(self, steps: u32) -> Self {
        self.with(|options| options.max_steps = steps)
    }

    /// Sets how deeply [agents](AgentOptions::max_depth) may call each other.
    #[must_use]
    pub fn with_max_depth(self, depth: usize) -> Self {
        self.with(|options| options.max_depth = depth)
    }

    /// Sets the [prices](AgentOptions::prices) of models.
    #[must_use]
    pub fn with_prices(self, prices: PriceTable) -> Self {
        self.with(|options| options.prices = prices)
    }

    /// Sets the limits of [a run and everything that it calls](AgentOptions::budget). A run that
    /// reaches one ends with [`ErrorKind::Budget`](crate::ErrorKind::Budget).
    #[must_use]
    pub fn with_budget(self, limits: BudgetLimits) -> Self {
        self.with(|options| options.budget = limits)
    }

    /// Sets the forms of calls: the dialect alone, also native forms (P-44), or the vendor's own tool
    /// calling (P-45), for which requests declare the tools.
    #[must_use]
    pub fn with_calls(self, calls: CallForms) -> Self {
        self.with(|options| options.calls = calls)
    }

    /// Sets which calls start before their execution point.
    #[must_use]
    pub fn with_eager(self, eager: EagerStart) -> Self {
        self.with(|options| options.eager = eager)
    }

    /// Sets the kind of connection to the model.
    #[must_use]
    pub fn with_mode(self, mode: ConnectionMode) -> Self {
        self.with(|options| options.mode = mode)
    }

    /// Sets the bounds of single calls.
    #[must_use]
    pub fn with_runner_limits(self, limits: RunnerLimits) -> Self {
        self.with(|options| options.runner = limits)
    }

    /// Sets the bounds of the calls of a turn. These and the
    /// [runner's](Self::with_runner_limits) bound how many calls run at once.
    #[must_use]
    pub fn with_plan_limits(self, limits: PlanLimits) -> Self {
        self.with(|options| options.plan = limits)
    }

    /// Sets the bounds of one answer of the model (P-9).
    #[must_use]
    pub fn with_answer_limits(self, limits: AnswerLimits) -> Self {
        self.with(|options| options.answer = limits)
    }

    /// Sets when the context of a request is [compacted](AgentOptions::compaction).
    #[must_use]
    pub fn with_compaction(self, options: impl Into<Option<CompactionOptions>>) -> Self {
        self.with(|agent| agent.compaction = options.into())
    }

    /// Sets a value for which a name stands from the beginning of each answer on, in the dialect
    /// `action` (P-26).
    #[must_use]
    pub fn with_preset(self, name: impl Into<String>, value: Json) -> Self {
        self.with(|options| drop(options.presets.insert(name.into(), value)))
    }

    /// Sets the folder that tools are to work in, and its [identity](AgentRoot::identity).
    #[must_use]
    pub fn with_root(self, path: impl Into<PathBuf>, identity: impl Into<String>) -> Self {
        self.with(|options| options.root = Some(AgentRoot::new(path, identity)))
    }

    /// Sets the user of runs whose scope names none.
    ///
    /// The prompts that these runs store name the user, and agents that they call belong to the
    /// same user. They cannot continue a conversation of another user, or one without a user.
    #[must_use]
    pub fn with_user(self, name: impl Into<String>) -> Self {
        self.with(|options| options.user = Some(name.into()))
    }

    pub(crate) fn with(mut self, set: impl FnOnce(&mut AgentOptions)) -> Self {
        set(&mut self.parts_mut().options);
        self
    }
}
