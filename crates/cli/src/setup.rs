//! What an agent is made of: the model, the tools, the rules and the store that the arguments name.
//!
//! A setup is checked before anything is opened or asked, so that a wrong argument changes nothing.
//! `run` and `chat` make their agents of it.

mod permissions;
mod plain;
mod servers;
mod title_model;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_event::Entry;
use silcrow_exec::{Approver, ModelPrice, PriceTable, Toolbox, WithPermissions};
use silcrow_manifest::Manifest;
use silcrow_models::ListedWindow;
use silcrow_parser::{Dialect, Options};
use silcrow_provider::Provider;
use silcrow_settings::OfferedTools;
use silcrow_settings::project_folders;
use silcrow_shell::ShellProcesses;
use silcrow_store::Store;

use permissions::SetupPermissions;
use title_model::title_model;

use crate::after_run::AfterRun;
use crate::args::Stream;
use crate::coding;
use crate::failure::Failure;
use crate::grammar;
use crate::instructions::Instructions;
use crate::late_store::LateStore;
use crate::learning::{self, ProfileLearner};
use crate::listed_window::kept_windows;
use crate::manifest;
use crate::mcp::{DeclaredServer, RunServers, ServerNames};
use crate::model;
use crate::options::AskOptions;
use crate::places::{OpenStore, StorePlace};
use crate::policy;
use crate::prices;
use crate::stored_events::stored_events;
use crate::surroundings::run_text;
use crate::telemetry;
use crate::titling::ConversationTitler;
use crate::tools::{self, BuiltInTools, ToolSettings};
use crate::user::user;

/// An agent that can be made, because all arguments are valid.
pub(crate) struct AgentSetup {
    pub(crate) model: String,
    pub(crate) place: StorePlace,
    /// The tools that were allowed beforehand.
    pub(crate) allowed: BTreeSet<String>,
    provider: Arc<dyn Provider>,
    /// The window of the model, unless an argument or the table names it.
    window: ListedWindow,
    prices: PriceTable,
    pub(crate) root_identity: String,
    tools: Toolbox,
    /// The store that the tools use.
    late: LateStore,
    manifest: Option<Manifest>,
    /// The MCP servers that are declared.
    declared: Vec<DeclaredServer>,
    offered: OfferedTools,
    /// Those of them that were begun for this agent.
    servers: Option<RunServers>,
    permissions: SetupPermissions,
    /// The commands that run in the background.
    processes: ShellProcesses,
    options: Options,
    /// The conversation before that of the run, which shows the model how to write.
    examples: Vec<Entry>,
    instructions: Instructions,
    /// The model that notes facts, if the profile of the person is learned.
    learns: Option<Arc<dyn Provider>>,
    /// The model that names conversations, or why it cannot be asked.
    titles: Option<Result<Arc<dyn Provider>, String>>,
    /// The text about the person that the model reads.
    profile: Option<String>,
    pub(crate) user: Option<String>,
}

impl AgentSetup {
    /// Checks the arguments.
    pub(crate) fn new(args: &AskOptions) -> Result<Self, Failure> {
        Self::of(args, user(args.user.as_deref())?)
    }

    /// Checks the arguments for this user, also if they name another one.
    pub(crate) fn of(args: &AskOptions, user: Option<String>) -> Result<Self, Failure> {
        model::check_mode(&model::name(args.model.as_deref()), args.mode)?;
        let options = Options::new(args.dialect).with_inline(args.inline);
        let model = model::name(args.model.as_deref());
        let limits = model::limits()?;
        let (chosen, proxy) = (model.clone(), args.proxy.clone());
        let settings = model::ModelSettings { options, rate: args.rate, limits, proxy, chosen };
        let place = StorePlace::choose(args.store.as_deref())?;
        let mut root = tools::protected_root(&args.root, &place)?;
        if let Some(manifest) = &args.manifest {
            root = root.with_protected(manifest, "the manifest of this run");
        }
        if let Some(policy) = &args.policy.file {
            root = root.with_protected(policy, "the policy of this run");
        }
        let (root, server_files) = tools::with_server_files(root, &args.servers, &args.root);
        let root_identity = root.identity().map_err(|error| {
            Failure::given(format!("cannot look at the root {}: {error}", args.root.display()))
        })?;
        let journal = place.changes().map(|journal| journal.with_limits(args.changes));
        let (store, own) = (LateStore::default(), args.manifest.iter().chain(&args.policy.file));
        let hands = ToolSettings {
            root: &root,
            folder: &args.root,
            place: &place,
            protected: own.cloned().chain(server_files).collect(),
            journal,
            web: &args.web,
            store: store.clone(),
            is_sandbox_off: args.policy.is_sandbox_off,
        };
        let BuiltInTools { toolbox: all, level, processes } = BuiltInTools::new(hands)?;
        let names = ServerNames::Declared(&args.servers);
        let tools = args.offered.among(&all, names)?;
        // Which tools servers have is not known yet.
        let held = args.servers.is_empty().then_some(&tools);
        let grammar = args.grammar.map(|by| grammar::held(by, args.dialect, held));
        let provider = model::choose(&model, &settings, grammar)?;
        let window = match args.window.limits(&model).context {
            Some(_) => ListedWindow::default(),
            None => {
                let models = settings.models();
                ListedWindow::find(&model, models.options(), kept_windows(&place))
                    .map_err(|error| model::failure(&error))?
            }
        };
        // A grammar allows nothing but the dialect.
        let learns = match (args.learn_profile, args.grammar) {
            (false, _) => None,
            (true, None) => Some(Arc::clone(&provider)),
            (true, Some(_)) => Some(model::choose(&model, &settings, None)?),
        };
        let prices = prices::read(args.prices.as_ref())?;
        prices::check(provider.name(), &prices, &args.budget.spending)?;
        let allowed = policy::allowed(&args.allow, &tools, names)?;
        let policy = policy::policy(&args.policy, &allowed, &args.root, &all)?;
        let manifest = args.manifest.as_deref();
        let manifest =
            manifest.map(|file| manifest::open(file, args.dialect, (&tools, names), &settings));
        let manifest = manifest.transpose()?;
        let titles = title_model(args, &model, settings);
        // In the other dialects tools stand for what a manifest declares.
        let declared = manifest.as_ref().filter(|_| args.dialect != Dialect::Action);
        let policy = policy.with_declared(declared).with_level(level);
        let permissions = SetupPermissions::new(&args.policy, policy, &tools, level);
        let examples = args.examples.as_deref().map(stored_events).transpose()?;
        Ok(Self {
            model,
            place,
            allowed,
            provider,
            window,
            prices,
            root_identity,
            tools,
            late: store,
            manifest,
            declared: args.servers.clone(),
            offered: args.offered.clone(),
            servers: None,
            permissions,
            processes,
            options,
            examples: examples.unwrap_or_default(),
            instructions: Instructions::read(&args.instructions, &project_folders(&args.root))?,
            learns,
            titles,
            profile: None,
            user,
        })
    }

    /// Names the folder of the tools, which is then the same one wherever it has this name.
    pub(crate) fn name_root(&mut self, name: &str) {
        self.root_identity = format!("named {name}");
    }

    /// Returns the lines about instructions that were left out.
    pub(crate) fn instructions_left_out(&self) -> &[String] {
        &self.instructions.left_out
    }

    /// Opens the store, for the tools, too. Offers to move an old one first.
    pub(crate) async fn open(&self) -> Result<OpenStore, Failure> {
        let opened = self.open_unread().await?;
        self.place.recover(&opened).await?;
        Ok(opened)
    }

    /// Opens the store as [`open`](Self::open) does, but reads nothing of it yet.
    pub(crate) async fn open_unread(&self) -> Result<OpenStore, Failure> {
        let opened = self.place.open_unread().await?;
        self.use_store(opened.store());
        Ok(opened)
    }

    /// Sets the store that the tools use, where it is open already.
    pub(crate) fn use_store(&self, store: Arc<dyn Store>) {
        self.late.set(store);
    }

    /// Reads the text about the person, if the profile is learned.
    pub(crate) async fn read_profile(&mut self, store: &dyn Store) {
        if self.learns.is_some() {
            self.profile = learning::told(store, self.user.as_deref()).await;
        }
    }

    /// Returns the price of the model, if the table has it.
    pub(crate) fn price(&self) -> Option<ModelPrice> {
        self.prices.find(self.provider.name())
    }

    /// Returns whether the profile of the person is read and learned.
    pub(crate) const fn learns(&self) -> bool {
        self.learns.is_some()
    }

    /// Returns what models do after an answered run, if they do anything. The rehearsal model notes
    /// nothing, and a store in memory is not listed, so it needs no titles.
    pub(crate) fn after_run(&self, args: &AskOptions, store: &Arc<dyn Store>) -> Option<AfterRun> {
        let learns = self.learns.clone().filter(|_| !model::is_rehearsal(&self.model));
        let learner = learns.map(|provider| ProfileLearner {
            provider,
            store: Arc::clone(store),
            user: self.user.clone(),
        });
        let titles = self.titles.clone().filter(|_| self.place.folder().is_some());
        let titler = titles.map(|provider| ConversationTitler {
            provider,
            store: Arc::clone(store),
            tells_failures: args.show.verbose,
        });
        AfterRun::new(learner, titler)
    }

    /// Makes the agent, which asks `approver` about calls that the policy leaves open.
    pub(crate) fn agent(
        self,
        args: &AskOptions,
        store: Arc<dyn Store>,
        approver: impl Approver + 'static,
    ) -> Agent {
        let secrets = self.secrets();
        let later_limits = self.window.limits();
        let provider = self.window.asked_beside(Arc::clone(&self.provider));
        let agent = Agent::new(provider, Arc::clone(&store))
            .with_approver(WithPermissions::new(Arc::clone(self.permissions.policy()), approver))
            .with_dialect(self.options)
            .with_guide(args.guide)
            .with_data_marks(args.has_data_marks)
            .with_examples(self.examples)
            .with_root(&args.root, self.root_identity)
            .with_secrets(secrets)
            .with_mode(args.mode)
            .with_sampling(args.sampling.clone())
            .with_model_limits(args.window.limits(&self.model))
            .with_later_limits(later_limits)
            .with_compaction(args.window.compaction())
            .with_eager(args.eager)
            .with_max_steps(args.max_steps.get())
            .with_budget(args.budget)
            .with_prices(self.prices)
            .with_streaming(args.stream != Some(Stream::None));
        let agent = telemetry::observed(agent).with_instruction_texts(self.instructions.texts);
        // The requests of a recording are the same on another day and another machine.
        let is_recorded = model::is_recorded(&self.model);
        let codes = !is_recorded && args.teaches_coding && coding::has_code(&args.root);
        let agent = match self.instructions.given {
            Some(text) => agent.with_instructions(text),
            None if codes => agent.with_instructions(coding::GUIDE),
            None => agent,
        };
        let run_text = match is_recorded {
            true => self.profile,
            false => Some(run_text(&args.root, codes, self.profile)),
        };
        let agent = run_text.into_iter().fold(agent, Agent::with_run_text);
        let agent = with_parallel(agent, args.max_parallel);
        let vars = args.vars.iter().cloned();
        let agent = vars.fold(agent, |agent, (name, value)| agent.with_preset(name, value));
        let agent = self.user.into_iter().fold(agent, Agent::with_user);
        let agent = match self.place.spills() {
            Some(spills) => agent.with_spill(spills),
            None => agent,
        };
        match self.manifest {
            Some(manifest) => {
                let (tools, provider) = (self.tools, self.provider);
                let servers = self.servers;
                manifest::equip(agent, (tools, servers), manifest, provider, store)
            }
            None => match &self.servers {
                Some(servers) => agent.with_tools(self.tools).with_tool_source(servers.tools()),
                None => agent.with_tools(self.tools),
            },
        }
    }
}

/// Sets how many calls may run at once.
fn with_parallel(agent: Agent, most: Option<NonZeroUsize>) -> Agent {
    let Some(most) = most else { return agent };
    let mut options = agent.options().clone();
    options.plan.max_parallel = most.get();
    options.runner.max_parallel = most;
    agent.with_options(options)
}
