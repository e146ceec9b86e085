//! The options of a session, as plain values.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use silcrow_agent::{CallForms, ConnectionMode, EagerStart};
use silcrow_context::{CompactionOptions, GuideLength, ModelLimits};
use silcrow_event::Json;
use silcrow_exec::BudgetLimits;
use silcrow_parser::Dialect;
use silcrow_policy::{PermissionMode, PolicyFile};
use silcrow_provider::{Effort, Sampling};
use silcrow_settings::{
    DeclaredServer, ModelSetting, OfferedTools, PriceSetting, ProxySettings, Settings, Sourced,
};
use silcrow_tools::ChangeLimits;
use silcrow_vendors::GrammarServer;

use crate::telemetry::TelemetrySettings;

/// The model and its parameters, the tools, the store and the limits of a session.
///
/// ```
/// use silcrow_session::SessionOptions;
///
/// let mut options = SessionOptions::new("/srv/project");
/// options.model = Some("anthropic:claude-sonnet-4-5".to_owned());
/// options.allow = vec!["file_write".to_owned()];
/// assert_eq!(options.max_steps.get(), 20);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionOptions {
    /// The name of the model. Otherwise the variable `SILCROW_MODEL` names it, or it is the rehearsal
    /// model.
    pub model: Option<String>,
    /// The notation of the model's output.
    pub dialect: Dialect,
    /// Whether delimiters count anywhere in a line.
    pub inline: bool,
    /// The values of `$NAME` in actions and answers.
    pub vars: Vec<(String, Json)>,
    /// The maximum number of concurrent calls; `None` for the default.
    pub max_parallel: Option<NonZeroUsize>,
    /// The connection to the model.
    pub mode: ConnectionMode,
    /// Whether the model is asked for its text while it writes.
    pub streams: bool,
    /// The name of the person, if several share a store. Otherwise the variable `SILCROW_USER` has
    /// it.
    pub user: Option<String>,
    /// The place of conversations: a folder, `memory`, or the address of a database.
    pub store: Option<PathBuf>,
    /// The folder that the tools see.
    pub root: PathBuf,
    /// The choices of tools, which all apply.
    pub offered: OfferedTools,
    /// The tools that run without a question.
    pub allow: Vec<String>,
    /// The MCP servers that are started.
    pub servers: Vec<DeclaredServer>,
    /// The rules about calls.
    pub policy: PolicyOptions,
    /// The forms of calls that are read.
    pub calls: CallForms,
    /// The program that is started to confine commands, instead of this one. Its `main` calls
    /// `silcrow_sandbox::run_helper_if_asked` first. A program whose `main` does so itself needs none; a
    /// test, whose `main` belongs to its harness, does.
    pub sandbox_helper: Option<PathBuf>,
    /// Files that commands may not read wherever they are, such as the tokens of a server's users. The
    /// files of keys that the environment names are always among them.
    pub hidden_files: Vec<PathBuf>,
    /// The calls that start before their batch is complete.
    pub eager: EagerStart,
    /// The file that declares agents, workflows and relics.
    pub manifest: Option<PathBuf>,
    /// The server that restricts the model to the wire form, by a grammar in its notation.
    pub grammar: Option<GrammarServer>,
    /// The instructions of the person and of the project.
    pub instructions: InstructionOptions,
    /// Whether hooks run.
    pub has_hooks: bool,
    /// Whether the system prompt says how to work on code.
    pub teaches_coding: bool,
    /// The number of tokens that the model reads at once.
    pub window: WindowOptions,
    /// Whether facts about the person are read and noted.
    pub learn_profile: bool,
    /// The model that names conversations; `None` for none.
    pub title_model: Option<String>,
    /// Whether it is said why a conversation got no title.
    pub tells_title_failures: bool,
    /// The collector of traces.
    pub telemetry: TelemetrySettings,
    /// The part of the wire form that the system prompt teaches.
    pub guide: GuideLength,
    /// Whether text from tools, pages and files is put between two lines with a mark (P-41).
    pub has_data_marks: bool,
    /// A file with a conversation that shows the model how to write.
    pub examples: Option<PathBuf>,
    /// The number of requests of a run at most.
    pub max_steps: NonZeroU32,
    /// The time for which requests to an overloaded model are repeated, unless `SILCROW_PATIENCE`
    /// sets it.
    pub patience: Duration,
    /// The number of tokens that the rehearsal model writes each second.
    pub rate: NonZeroU32,
    /// The proxies on the way to models.
    pub proxy: ProxySettings,
    /// The model's sampling parameters and stop sequences.
    pub sampling: Sampling,
    /// The tools for the web.
    pub web: WebOptions,
    /// The limits of the copies of changed files that are kept for undo.
    pub changes: ChangeLimits,
    /// The limits of a run with everything that its calls run.
    pub budget: BudgetLimits,
    /// The prices of models.
    pub prices: Option<PriceSetting>,
    /// The media that models accept, if the person sets them.
    pub models: Vec<ModelSetting>,
}

/// The rules about calls that run without a question.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct PolicyOptions {
    /// The mode; `None` for the mode in the files.
    pub permissions: Option<PermissionMode>,
    /// The policy file, in place of the person's own.
    pub file: Option<PathBuf>,
    /// The rules that the person's settings have.
    pub own: Vec<PolicyFile>,
    /// The rules that the settings of the project have, which only narrow.
    pub project: Vec<PolicyFile>,
    /// Whether the person has switched the sandbox off.
    pub is_sandbox_off: bool,
}

/// The instructions of the person and of the project.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct InstructionOptions {
    /// The person's instructions in place of their file: a text, or `@` and a file.
    pub given: Option<String>,
    /// Whether files are read.
    pub reads_files: bool,
    /// Whether the project's trusted files are also read.
    pub reads_project: bool,
}

/// The number of tokens that the model reads at once.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct WindowOptions {
    /// The number of tokens of a request and its answer at most.
    pub window: Option<u64>,
    /// The part of the window, in percent, at which old turns are summarized; 0 for never.
    pub compact_at: Option<u8>,
}

/// The way of the web tools to pages, and the engine that searches for them.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct WebOptions {
    /// The engine, unless the environment names it.
    pub search: Option<String>,
    /// The hosts that may be reached although they are not public.
    pub allow_host: Vec<String>,
    /// The proxy.
    pub web_proxy: Option<String>,
}

/// Lists the words for the amount of thinking of a model ([`SessionOptions::sampling`]).
pub fn effort_words() -> Vec<&'static str> {
    Effort::ALL.map(Effort::as_str).to_vec()
}

impl SessionOptions {
    /// Creates options for tools that see the folder `root`, with the usual values for everything
    /// else.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            model: None,
            dialect: Dialect::Sigil,
            inline: false,
            vars: Vec::new(),
            max_parallel: None,
            mode: ConnectionMode::default(),
            streams: true,
            user: None,
            store: None,
            root: root.into(),
            offered: OfferedTools::default(),
            allow: Vec::new(),
            servers: Vec::new(),
            policy: PolicyOptions::default(),
            calls: CallForms::default(),
            sandbox_helper: None,
            hidden_files: Vec::new(),
            eager: EagerStart::default(),
            manifest: None,
            grammar: None,
            instructions: InstructionOptions::default(),
            has_hooks: true,
            teaches_coding: true,
            window: WindowOptions::default(),
            learn_profile: false,
            title_model: None,
            tells_title_failures: false,
            telemetry: TelemetrySettings::default(),
            guide: GuideLength::default(),
            has_data_marks: true,
            examples: None,
            max_steps: USUAL_STEPS,
            patience: Duration::from_secs(30),
            rate: USUAL_RATE,
            proxy: ProxySettings::default(),
            sampling: Sampling::default(),
            web: WebOptions::default(),
            changes: ChangeLimits::default(),
            budget: BudgetLimits::default(),
            prices: None,
            models: Vec::new(),
        }
    }

    /// Creates options for tools that see the folder `root`, with the values of settings.
    ///
    /// Sampling parameters are left out, because each model has only some of them.
    ///
    /// ```
    /// use silcrow_session::SessionOptions;
    /// use silcrow_settings::{Environment, FileSettings, GivenSettings, Settings};
    ///
    /// # let home = std::env::temp_dir().join(format!("silcrow-options-{}", std::process::id()));
    /// # std::fs::create_dir_all(&home).unwrap();
    /// # let environment = Environment::from_vars([("XDG_CONFIG_HOME", &*home)]);
    /// # let root = home.clone();
    /// let files = FileSettings::load(&environment, &root, None)?;
    /// let mut given = GivenSettings::default();
    /// given.model = Some("rehearsal".to_owned());
    /// let options = SessionOptions::of_settings(&root, Settings::resolve(given, &files));
    /// assert_eq!(options.model.as_deref(), Some("rehearsal"));
    /// # Ok::<(), silcrow_settings::Error>(())
    /// ```
    pub fn of_settings(root: impl Into<PathBuf>, settings: Settings) -> Self {
        let usual = Self::new(root);
        Self {
            model: value(settings.model),
            dialect: value(settings.dialect).unwrap_or(usual.dialect),
            calls: value(settings.calls).unwrap_or_default(),
            mode: value(settings.mode).unwrap_or_default(),
            store: value(settings.store),
            offered: settings.tools,
            servers: settings.servers,
            policy: PolicyOptions::of_settings(settings.policy),
            instructions: InstructionOptions {
                given: None,
                reads_files: settings.instructions.all.value,
                reads_project: settings.instructions.project.value,
            },
            teaches_coding: settings.coding.value,
            window: WindowOptions {
                window: value(settings.window),
                compact_at: value(settings.compact_at),
            },
            learn_profile: settings.learn_profile.value,
            title_model: value(settings.title_model),
            telemetry: TelemetrySettings {
                endpoint: outside_environment(settings.otlp_endpoint),
                has_contents: settings.otlp_contents.value,
                has_whole_input: settings.otlp_whole_input.value,
            },
            proxy: settings.proxy,
            web: WebOptions::of_settings(settings.search),
            prices: value(settings.prices),
            models: value(settings.models).unwrap_or_default(),
            ..usual
        }
    }
}

impl PolicyOptions {
    /// Returns the rules that settings have.
    pub fn of_settings(settings: silcrow_settings::PolicySettings) -> Self {
        Self {
            permissions: None,
            file: value(settings.file),
            own: settings.own,
            project: settings.project,
            is_sandbox_off: settings.sandbox.is_some_and(|is_on| !is_on.value),
        }
    }
}

impl WebOptions {
    /// Returns the engine that settings have. The environment is read when the tools are made.
    pub fn of_settings(search: Option<Sourced<String>>) -> Self {
        Self { search: outside_environment(search), ..Self::default() }
    }
}

impl Default for InstructionOptions {
    fn default() -> Self {
        Self { given: None, reads_files: true, reads_project: true }
    }
}

impl WindowOptions {
    /// Returns when a context is compacted, or `None` if it never is.
    pub(crate) fn compaction(&self) -> Option<CompactionOptions> {
        let options = CompactionOptions::default();
        match self.compact_at {
            Some(0) => None,
            Some(percent) => {
                Some(options.with_start(percent).with_keep(options.keep.min(percent / 3)))
            }
            None => Some(options),
        }
    }

    /// Returns the limits that the person named.
    pub(crate) fn limits(&self) -> ModelLimits {
        let mut limits = ModelLimits::default();
        limits.context = self.window;
        limits
    }
}

/// Returns the limits that the table has for the model with this name.
pub(crate) fn presumed_limits(model: &str) -> ModelLimits {
    let mut limits = ModelLimits::default();
    if let Some(known) = silcrow_vendors::known_model(model) {
        (limits.context, limits.output) = (Some(known.window), Some(known.output));
    }
    limits
}

fn value<T>(found: Option<Sourced<T>>) -> Option<T> {
    found.map(|found| found.value)
}

/// Returns a value, unless it is the environment's, which is read at its use.
fn outside_environment<T>(found: Option<Sourced<T>>) -> Option<T> {
    value(found.filter(|found| !found.source.is_environment()))
}

/// The number of tokens that the rehearsal model writes each second.
const USUAL_RATE: NonZeroU32 = NonZeroU32::new(200).unwrap();

/// The number of requests of a run at most.
const USUAL_STEPS: NonZeroU32 = NonZeroU32::new(20).unwrap();
