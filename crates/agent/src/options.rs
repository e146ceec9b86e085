//! The settings of an agent, as data with defaults.
//!
//! The objects of an agent, such as its model and its store, are not settings.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use silcrow_accumulate::AnswerLimits;
use silcrow_context::{CompactionOptions, GuideLength, InstructionText, ModelLimits};
use silcrow_event::{Entry, Json, UnknownWord};
use silcrow_exec::{BudgetLimits, PriceTable, RunnerLimits};
use silcrow_media::Senses;
use silcrow_parser as parser;
use silcrow_plan::PlanLimits;
use silcrow_provider::Sampling;

use crate::call_forms::CallForms;

/// The settings of an [`Agent`](crate::Agent), besides its model, store and tools.
///
/// ```
/// use silcrow_agent::{Agent, AgentOptions};
/// use silcrow_parser::Dialect;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::MemoryStore;
///
/// let mut options = AgentOptions::default();
/// options.max_steps = 5;
/// options.dialect = Dialect::Phase.into();
/// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new()).with_options(options);
/// assert_eq!(agent.options().max_steps, 5);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentOptions {
    /// The dialect in which the model writes and reads; `sigil` by default.
    pub dialect: parser::Options,
    /// The part of the dialect that the system prompt teaches; all of it by default.
    pub guide: GuideLength,
    /// An example conversation before the conversation of the log, which shows the model how to
    /// write and act. It ends with an answer of the model; none by default.
    pub examples: Vec<Entry>,
    /// A description of the agent for the beginning of the system prompt, in place of the default
    /// sentence; at most 4 KiB of it are sent.
    pub identity: Option<String>,
    /// The caller's own part of the system prompt; at most 32 KiB of it are sent.
    pub instructions: Option<String>,
    /// Instructions of the person and of a project, each with its origin and its cap.
    pub instruction_texts: Vec<InstructionText>,
    /// Text after the stable part of the system prompt, such as the date or a profile of the user.
    /// Every run of this agent gets it; a clone of the agent may have another one.
    pub run_text: Option<String>,
    /// Whether the outputs of tools are between two lines with a mark that nobody could have
    /// guessed ([`ContextInput::data_marks`](silcrow_context::ContextInput::data_marks)); `true` by
    /// default.
    pub data_marks: bool,
    /// Whether the provider is asked for answers in pieces; `true` by default.
    pub streaming: bool,
    /// The sampling parameters of each request. A provider passes on those that its API has.
    pub sampling: Sampling,
    /// Whether a run emits the text of calls while they are written; `false` by default.
    pub call_text: bool,
    /// The number of requests that a run may make, at least 1; 20 by default. The last request
    /// tells the model that it is the last. Requests of agents that the run calls do not count
    /// here; the budget limits them.
    pub max_steps: u32,
    /// The number of agents and workflows that may be nested, the called one included; 4 by
    /// default. A call that would nest more deeply fails.
    pub max_depth: usize,
    /// The limits of a run together with everything that it calls. They apply if a run begins a
    /// budget; an agent that is called shares its caller's budget.
    pub budget: BudgetLimits,
    /// The prices of models, for limits of the cost; none by default.
    pub prices: PriceTable,
    /// The forms of calls that are read: the dialect, native forms (P-44), or the vendor's own (P-45).
    pub calls: CallForms,
    /// The calls that start before their execution point.
    pub eager: EagerStart,
    /// The kind of connection to the model.
    pub mode: ConnectionMode,
    /// The bounds of single calls.
    pub runner: RunnerLimits,
    /// The bounds of the calls of a turn.
    pub plan: PlanLimits,
    /// The bounds of one answer of the model (P-9).
    pub answer: AnswerLimits,
    /// The known limits of the model.
    pub model: ModelLimits,
    /// The media that the model can read; `None` to infer them from its name, or by trying.
    pub senses: Option<Senses>,
    /// The point at which the context of a request is compacted, or `None` for never. An unknown
    /// window is learned from the first request that is too long.
    pub compaction: Option<CompactionOptions>,
    /// The names that stand for a value from the beginning of each answer on, in the dialect
    /// `action` (P-26).
    pub presets: BTreeMap<String, Json>,
    /// The folder that tools are to work in.
    pub root: Option<AgentRoot>,
    /// The user of runs whose scope names none.
    pub user: Option<String>,
}

/// A folder that tools are to work in, and its identity.
///
/// ```
/// use silcrow_agent::{Agent, AgentRoot};
/// # use silcrow_provider::ScriptedModel;
/// # use silcrow_store::MemoryStore;
///
/// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new());
/// let agent = agent.with_root("/work/app", "disk 7, file 4711");
/// let root = AgentRoot::new("/work/app", "disk 7, file 4711");
/// assert_eq!(agent.options().root, Some(root));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentRoot {
    /// The path of the folder.
    pub path: PathBuf,
    /// Text that stays the same when the folder is renamed, and differs for a folder that takes its
    /// place, such as `silcrow_tools::Root::identity`. An approval for the whole conversation is
    /// valid only for roots with the same identity.
    pub identity: String,
}

/// The calls of a batch that start before its execution point; their results wait for it (P-23).
///
/// ```
/// use silcrow_agent::EagerStart;
///
/// assert_eq!("read-only".parse(), Ok(EagerStart::default()));
/// assert!("some".parse::<EagerStart>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-23 knows these")]
pub enum EagerStart {
    /// No call.
    Off,
    /// Calls of tools that are declared read-only.
    #[default]
    ReadOnly,
    /// Every call. If the answer is then cut off, its calls may have had effects already.
    All,
}

impl EagerStart {
    /// Lists every choice.
    pub const ALL: [Self; 3] = [Self::Off, Self::ReadOnly, Self::All];

    /// Returns the name of the choice: `off`, `read-only` or `all`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::ReadOnly => "read-only",
            Self::All => "all",
        }
    }
}

impl fmt::Display for EagerStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for EagerStart {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|eager| eager.as_str() == word);
        found.ok_or_else(|| UnknownWord::new("eager start", Self::ALL.map(Self::as_str)))
    }
}

/// The kinds of connection between a run and its model.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, ConnectionMode};
/// # use silcrow_provider::ScriptedModel;
/// # use silcrow_store::MemoryStore;
///
/// let model = ScriptedModel::parse("§respond: It is 4.\n§end", 1);
/// let agent = Agent::new(model, MemoryStore::new()).with_mode(ConnectionMode::Resume);
/// assert_eq!(agent.ask("What is 2 + 2?").await.unwrap().text, "It is 4.");
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol of a session has these")]
pub enum ConnectionMode {
    /// Each step is a separate request with the whole conversation.
    Replay,
    /// A run has one connection, over which only new messages are sent. If the connection ends
    /// between two answers, the run opens another with the whole conversation. If it ends within an
    /// answer, the run fails.
    Resume,
    /// Like `Resume` if the model offers sessions. If it does not, or if the connection fails, the
    /// run continues like `Replay` from the log and tries another connection a step later. No other
    /// connection is tried after one that was silent for too long or did not speak the protocol of
    /// sessions, or after two failures in a row. A failure that a plain request would meet as well,
    /// such as a rejected key, ends the run.
    #[default]
    Auto,
}

impl ConnectionMode {
    /// Lists every mode.
    pub const ALL: [Self; 3] = [Self::Replay, Self::Resume, Self::Auto];

    /// Returns the name of the mode: `replay`, `resume` or `auto`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::Resume => "resume",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for ConnectionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ConnectionMode {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|mode| mode.as_str() == word);
        found.ok_or_else(|| UnknownWord::new("connection mode", Self::ALL.map(Self::as_str)))
    }
}

impl AgentRoot {
    /// Creates a root from the path of a folder and its identity.
    pub fn new(path: impl Into<PathBuf>, identity: impl Into<String>) -> Self {
        Self { path: path.into(), identity: identity.into() }
    }
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            dialect: parser::Dialect::Sigil.into(),
            guide: GuideLength::default(),
            examples: Vec::new(),
            identity: None,
            instructions: None,
            instruction_texts: Vec::new(),
            run_text: None,
            data_marks: true,
            streaming: true,
            sampling: Sampling::new(),
            call_text: false,
            max_steps: 20,
            max_depth: 4,
            budget: BudgetLimits::default(),
            prices: PriceTable::default(),
            calls: CallForms::default(),
            eager: EagerStart::default(),
            mode: ConnectionMode::default(),
            runner: RunnerLimits::default(),
            plan: PlanLimits::default(),
            answer: AnswerLimits::default(),
            model: ModelLimits::default(),
            senses: None,
            compaction: Some(CompactionOptions::default()),
            presets: BTreeMap::new(),
            root: None,
            user: None,
        }
    }
}
