//! The options of a run: what was typed, with what the settings say, as plain values.
//!
//! Everything below a command works with these. It does not know the arguments of any command, nor where a
//! value is from.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use silcrow_agent::{ConnectionMode, EagerStart};
use silcrow_context::{CompactionOptions, GuideLength, ModelLimits};
use silcrow_event::Json;
use silcrow_exec::BudgetLimits;
use silcrow_parser::Dialect;
use silcrow_policy::{PermissionMode, PolicyFile};
use silcrow_provider::Sampling;
use silcrow_settings::{DeclaredServer, OfferedTools, PriceSetting, ProxySettings};
use silcrow_tools::ChangeLimits;

use crate::args::{GrammarBackend, OnQuestion, ShowArgs, Stream};
use crate::telemetry::TelemetrySettings;

/// The model and how it is asked, the tools, the store, the output and the limits.
#[derive(Clone, Debug)]
pub(crate) struct AskOptions {
    pub(crate) model: Option<String>,
    pub(crate) dialect: Dialect,
    pub(crate) inline: bool,
    /// The values of `$NAME` in actions and answers.
    pub(crate) vars: Vec<(String, Json)>,
    pub(crate) max_parallel: Option<NonZeroUsize>,
    pub(crate) mode: ConnectionMode,
    pub(crate) stream: Option<Stream>,
    pub(crate) json: bool,
    pub(crate) call_text: bool,
    pub(crate) on_question: Option<OnQuestion>,
    /// Whether a denied call makes the run fail.
    pub(crate) strict: bool,
    /// Whether it waits while the conversation runs elsewhere.
    pub(crate) wait: bool,
    pub(crate) user: Option<String>,
    pub(crate) store: Option<PathBuf>,
    pub(crate) root: PathBuf,
    /// The choices of tools that hold for the run.
    pub(crate) offered: OfferedTools,
    /// The tools that run without a question.
    pub(crate) allow: Vec<String>,
    /// The MCP servers that are started.
    pub(crate) servers: Vec<DeclaredServer>,
    pub(crate) policy: PolicyOptions,
    pub(crate) eager: EagerStart,
    pub(crate) manifest: Option<PathBuf>,
    pub(crate) grammar: Option<GrammarBackend>,
    pub(crate) instructions: InstructionOptions,
    /// Whether the system prompt says how to work on code.
    pub(crate) teaches_coding: bool,
    pub(crate) window: WindowOptions,
    pub(crate) learn_profile: bool,
    /// The model that names conversations.
    pub(crate) title_model: Option<String>,
    pub(crate) telemetry: TelemetrySettings,
    pub(crate) show: ShowArgs,
    pub(crate) guide: GuideLength,
    pub(crate) has_data_marks: bool,
    pub(crate) examples: Option<PathBuf>,
    pub(crate) max_steps: NonZeroU32,
    /// How many tokens a second the rehearsal model writes.
    pub(crate) rate: NonZeroU32,
    pub(crate) proxy: ProxySettings,
    pub(crate) sampling: Sampling,
    pub(crate) web: WebOptions,
    pub(crate) changes: ChangeLimits,
    pub(crate) budget: BudgetLimits,
    pub(crate) prices: Option<PriceSetting>,
}

/// What runs without a question.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyOptions {
    pub(crate) permissions: Option<PermissionMode>,
    /// The policy file, in place of the person's own.
    pub(crate) file: Option<PathBuf>,
    /// The rules that the person's settings have.
    pub(crate) own: Vec<PolicyFile>,
    /// The rules that the settings of the project have.
    pub(crate) project: Vec<PolicyFile>,
    /// Whether the person has switched the sandbox off.
    pub(crate) is_sandbox_off: bool,
}

/// The instructions of the person and of the project.
#[derive(Clone, Debug)]
pub(crate) struct InstructionOptions {
    /// What the person gave with the command: a text, or `@` and a file.
    pub(crate) given: Option<String>,
    /// Whether files are read.
    pub(crate) reads_files: bool,
    /// Whether those of the project are read, too.
    pub(crate) reads_project: bool,
}

/// How much the model reads at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowOptions {
    /// The most tokens of a request and its answer.
    pub(crate) window: Option<u64>,
    /// The part of the window, in percent, at which old turns are summarized; 0 for never.
    pub(crate) compact_at: Option<u8>,
}

/// How the web tools reach pages, and which engine searches for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct WebOptions {
    /// The engine, unless the environment names it.
    pub(crate) search: Option<String>,
    /// The hosts that may be reached although they are not public.
    pub(crate) allow_host: Vec<String>,
    pub(crate) web_proxy: Option<String>,
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

    /// Returns the limits of the model with this name.
    pub(crate) fn limits(&self, model: &str) -> ModelLimits {
        let mut limits = ModelLimits::default();
        limits.context = self.window.or_else(|| silcrow_vendors::known_window(model));
        limits
    }
}
