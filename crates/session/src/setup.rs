//! The parts of a session: the model, the tools, the rules and the place of the store that options
//! name.
//!
//! A setup is checked before anything is opened or asked, so that a wrong option changes nothing.

mod permissions;
mod title_model;

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use silcrow_context::ModelLimits;
use silcrow_event::Entry;
use silcrow_exec::PriceTable;
use silcrow_hooks::Hooks;
use silcrow_manifest::Manifest;
use silcrow_models::ListedWindow;
use silcrow_parser::{Dialect, Options};
use silcrow_provider::{Provider, RetryWatch};
use silcrow_settings::{ServerNames, project_folders};
use silcrow_shell::ShellProcesses;
use silcrow_tool::Toolbox;

pub(crate) use permissions::SetupPermissions;
use title_model::title_model;

use crate::coding;
use crate::error::Error;
use crate::held_grammar::grammar_for;
use crate::hooks::{HookFiles, hooked};
use crate::host::SessionHost;
use crate::instructions::{Instructions, NestedInstructions};
use crate::listed_window::kept_windows;
use crate::manifest;
use crate::model::{self, ModelSettings};
use crate::options::SessionOptions;
use crate::policy;
use crate::prices;
use crate::running_subagents::RunningSubagents;
use crate::servers::RunServers;
use crate::skills::SessionSkills;
use crate::store::{LateStore, StorePlace};
use crate::stored_events::stored_events;
use crate::subagents::{AGENT, add_subagents};
use crate::tools::{self, BuiltInTools, ToolSettings};
use crate::user::user;
use crate::workflow::{WORKFLOW, add_workflow, take_tool};

/// A session that can be opened, because all its options are valid.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_session::{SessionHost, SessionOptions, SessionSetup};
///
/// let mut options = SessionOptions::new(".");
/// # options.store = Some("memory".into());
/// options.model = Some("rehearsal".to_owned());
/// options.allow = vec!["file_wipe".to_owned()];
/// let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
/// let error = SessionSetup::check(options, &host).unwrap_err();
/// assert!(error.to_string().starts_with("--allow file_wipe: unknown tool"));
/// ```
pub struct SessionSetup {
    pub(crate) options: SessionOptions,
    pub(crate) host: Arc<dyn SessionHost>,
    pub(crate) model: String,
    pub(crate) place: StorePlace,
    /// The tools that were allowed beforehand.
    pub(crate) allowed: BTreeSet<String>,
    pub(crate) provider: Arc<dyn Provider>,
    /// The model that asks for its window, unless an option or the table names it.
    pub(crate) asking: Arc<dyn Provider>,
    /// The window, once it is known.
    pub(crate) later_limits: Arc<OnceLock<ModelLimits>>,
    /// The pauses of requests that failed.
    pub(crate) retries: RetryWatch,
    pub(crate) prices: PriceTable,
    pub(crate) root_identity: String,
    pub(crate) tools: Toolbox,
    /// Whether the model has the tool `workflow`, which uses the others.
    pub(crate) has_workflow: bool,
    /// Whether the model has the tool `agent`, which uses the others.
    pub(crate) has_subagents: bool,
    /// The store that the tools use.
    pub(crate) late: LateStore,
    pub(crate) manifest: Option<Manifest>,
    pub(crate) permissions: SetupPermissions,
    /// The commands that run in the background.
    pub(crate) processes: ShellProcesses,
    pub(crate) subagents: RunningSubagents,
    pub(crate) format: Options,
    /// A conversation before the run's, which shows the model how to write.
    pub(crate) examples: Vec<Entry>,
    pub(crate) instructions: Instructions,
    pub(crate) skills: SessionSkills,
    pub(crate) hooks: Hooks,
    /// The lines about hooks that are left out.
    hook_notices: Vec<String>,
    /// The model that notes facts, if the profile of the person is learned.
    pub(crate) learns: Option<Arc<dyn Provider>>,
    /// The model that names conversations, or why it cannot be asked.
    pub(crate) titles: Option<Result<Arc<dyn Provider>, String>>,
    pub(crate) user: Option<String>,
}

impl SessionSetup {
    /// Checks options, and opens nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if an option, or a file that one names, cannot be used.
    pub fn check(options: SessionOptions, host: &Arc<dyn SessionHost>) -> Result<Self, Error> {
        let user = user(options.user.as_deref())?;
        Self::check_for(options, user, host)
    }

    /// Checks options for a user, even if the options name another one.
    ///
    /// # Errors
    ///
    /// Returns an error as [`check`](Self::check) does.
    pub fn check_for(
        options: SessionOptions,
        user: Option<String>,
        host: &Arc<dyn SessionHost>,
    ) -> Result<Self, Error> {
        let model = model::name(options.model.as_deref());
        model::check_mode(&model, options.mode)?;
        model::check_calls(&model, options.calls, options.grammar.is_some())?;
        let format = Options::new(options.dialect).with_inline(options.inline);
        let settings = ModelSettings {
            options: format,
            rate: options.rate,
            limits: model::limits()?.with_patience(options.patience),
            proxy: options.proxy.clone(),
            chosen: model.clone(),
        };
        let retries = settings.limits.retries().clone();
        let place = StorePlace::choose(options.store.as_deref())?;
        let late = LateStore::default();
        let folders = project_folders(&options.root);
        let skills = SessionSkills::read(&options.instructions, &folders);
        let made = MadeTools::new(&options, &place, &late, &skills, &folders)?;
        let names = ServerNames::Declared(&options.servers);
        let tools = options.offered.among(&made.all, names)?;
        // The servers' tools are not known yet.
        let held = options.servers.is_empty().then_some(&tools);
        let grammar = grammar_for(&options, held);
        let provider = model::choose(&model, &settings, grammar, &**host)?;
        let window = match options.window.window {
            Some(_) => ListedWindow::default(),
            None => ListedWindow::find(&model, settings.models().options(), kept_windows(&place))?,
        };
        // A grammar allows only the dialect.
        let learns = match (options.learn_profile, options.grammar) {
            (false, _) => None,
            (true, None) => Some(Arc::clone(&provider)),
            (true, Some(_)) => Some(model::choose(&model, &settings, None, &**host)?),
        };
        let prices = prices::read(options.prices.as_ref())?;
        prices::check(provider.name(), &prices, &options.budget.spending)?;
        let allowed = policy::allowed(&options.allow, &tools, names)?;
        let policy = policy::policy(&options.policy, &allowed, &options.root, &made.all)?;
        // Agents of a manifest have exactly the tools that it lists.
        let (tools, has_workflow) = take_tool(&tools, WORKFLOW);
        let (tools, has_subagents) = take_tool(&tools, AGENT);
        let manifest = options.manifest.as_deref().map(|file| {
            let known = (&tools, names);
            manifest::open(file, options.dialect, known, &settings, &options.web, &**host)
        });
        let manifest = manifest.transpose()?;
        let titles = title_model(&options, &model, settings, &**host);
        // In the other dialects tools stand for the manifest's declarations.
        let declared = manifest.as_ref().filter(|_| options.dialect != Dialect::Action);
        let policy = policy.with_declared(declared).with_level(made.level);
        let permissions = SetupPermissions::new(&options.policy, policy, &tools, made.level);
        let examples = options.examples.as_deref().map(stored_events).transpose()?;
        Ok(Self {
            instructions: Instructions::read(&options.instructions, &folders)?,
            skills,
            options,
            host: Arc::clone(host),
            model,
            place,
            allowed,
            later_limits: window.limits(),
            asking: window.asked_beside(Arc::clone(&provider)),
            provider,
            retries,
            prices,
            root_identity: made.root_identity,
            tools,
            has_workflow,
            has_subagents,
            late,
            manifest,
            permissions,
            processes: made.processes,
            subagents: RunningSubagents::default(),
            hooks: made.hooks,
            hook_notices: made.hook_notices,
            format,
            examples: examples.unwrap_or_default(),
            learns,
            titles,
            user,
        })
    }

    /// Returns the place of the store.
    pub const fn place(&self) -> &StorePlace {
        &self.place
    }

    /// Returns the place of the store, to change the way it is opened.
    pub const fn place_mut(&mut self) -> &mut StorePlace {
        &mut self.place
    }

    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the user.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// Returns the options.
    pub const fn options(&self) -> &SessionOptions {
        &self.options
    }

    /// Returns the skills and the prompt commands.
    pub const fn skills(&self) -> &SessionSkills {
        &self.skills
    }

    /// Names the folder of the tools, which is then the same one wherever it has this name.
    pub fn name_root(&mut self, name: &str) {
        self.root_identity = format!("named {name}");
    }

    /// Returns the lines that a person reads before the first run: the servers that start, the
    /// permissions, and the instructions that were read or left out.
    pub fn notices(&self) -> Vec<String> {
        let rehearsal = silcrow_models::is_rehearsal(&self.model).then(|| REHEARSAL.to_owned());
        let servers = RunServers::notice(&self.options.servers, &self.options.offered);
        let first = servers.into_iter().chain(rehearsal);
        let first = first.chain([self.permissions.notice()]).chain(self.instructions.notices());
        first.chain(self.skills.notices()).chain(self.hook_notices.iter().cloned()).collect()
    }
}

impl fmt::Debug for SessionSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionSetup")
            .field("model", &self.model)
            .field("place", &self.place)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// The built-in tools of a setup, and their confinement.
struct MadeTools {
    all: Toolbox,
    level: silcrow_shell::SandboxLevel,
    processes: ShellProcesses,
    root_identity: String,
    hooks: Hooks,
    hook_notices: Vec<String>,
}

impl MadeTools {
    fn new(
        options: &SessionOptions,
        place: &StorePlace,
        late: &LateStore,
        skills: &SessionSkills,
        folders: &[PathBuf],
    ) -> Result<Self, Error> {
        let mut root = tools::protected_root(&options.root, place)?;
        if let Some(manifest) = &options.manifest {
            root = root.with_protected(manifest, "the manifest of this run");
        }
        if let Some(policy) = &options.policy.file {
            root = root.with_protected(policy, "the policy of this run");
        }
        let (root, server_files) = tools::with_server_files(root, &options.servers, &options.root);
        let hook_files = match options.has_hooks {
            true => HookFiles::read(folders),
            false => HookFiles::default(),
        };
        let root = hook_files
            .files
            .iter()
            .fold(root, |root, file| root.with_protected(file, "a file of a hook"));
        let root_identity = root.identity().map_err(|error| {
            Error::given(format!("cannot look at the root {}: {error}", options.root.display()))
        })?;
        let own = options.manifest.iter().chain(&options.policy.file).cloned();
        let protected = own.chain(server_files).chain(hook_files.files.iter().cloned());
        let protected: Vec<PathBuf> = protected.collect();
        let hands = ToolSettings {
            root: &root,
            folder: &options.root,
            place,
            protected,
            hidden: &options.hidden_files,
            journal: place.changes().map(|journal| journal.with_limits(options.changes)),
            web: &options.web,
            store: late.clone(),
            is_sandbox_off: options.policy.is_sandbox_off,
            sandbox_helper: options.sandbox_helper.as_deref(),
            codes: options.teaches_coding && coding::has_code(&options.root),
        };
        let BuiltInTools { toolbox: mut all, level, sandbox, processes, .. } =
            BuiltInTools::new(hands)?;
        if options.instructions.reads_files && options.instructions.reads_project {
            all = NestedInstructions::add_to(&all, &options.root);
        }
        if let Some(skill) = skills.skills.tool() {
            all.add(skill).map_err(|twice| Error::failed(twice.to_string()))?;
        }
        let (hooks, mut notices) = hook_files.hooks(&options.root, &sandbox);
        notices.extend(hook_files.notices);
        all = hooked(&all, &hooks);
        if options.teaches_coding && coding::has_code(&options.root) {
            add_subagents(&mut all)?;
        }
        add_workflow(&mut all)?;
        Ok(Self { all, level, processes, root_identity, hooks, hook_notices: notices })
    }
}

/// The notice at the start of a run with the rehearsal model.
const REHEARSAL: &str =
    "rehearsal model: rules, no LLM. A real one: --model openai:MODEL or compatible:URL#MODEL";
