//! The settings that count for a run, each with its source.

use std::path::PathBuf;

use silcrow_agent::{CallForms, ConnectionMode};
use silcrow_exec::PriceTable;
use silcrow_parser::Dialect;
use silcrow_policy::PolicyFile;

use crate::mcp::DeclaredServer;
use crate::model_setting::ModelSetting;
use crate::sampling_settings::SamplingSettings;
use crate::source::Sourced;
use crate::tool_choice::OfferedTools;

/// The effective settings of a run: the caller's first, then the settings of the environment, the
/// profile, the project and the person.
///
/// [`resolve`](Self::resolve) makes them. A field that is `None` is not set, and its user applies a
/// default.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The name of the model.
    pub model: Option<Sourced<String>>,
    /// The words of the command that prints the key of the model.
    pub key_command: Option<Sourced<Vec<String>>>,
    /// The notation of the model's output.
    pub dialect: Option<Sourced<Dialect>>,
    /// The forms of calls that are read.
    pub calls: Option<Sourced<CallForms>>,
    /// The connection to the model.
    pub mode: Option<Sourced<ConnectionMode>>,
    /// The choices of tools, which all apply.
    pub tools: OfferedTools,
    /// The rules about calls that run without a question.
    pub policy: PolicySettings,
    /// What a run does with a question that nobody answers: `park` or `deny`.
    pub on_question: Option<Sourced<String>>,
    /// The MCP servers that are started. Each has the place of its declaration.
    pub servers: Vec<DeclaredServer>,
    /// Whether the files `AGENTS.md` of the person and of the project are read.
    pub instructions: InstructionSettings,
    /// Whether the system prompt says how to work on code.
    pub coding: Sourced<bool>,
    /// Whether facts about the person are read and noted.
    pub learn_profile: Sourced<bool>,
    /// The model that names conversations.
    pub title_model: Option<Sourced<String>>,
    /// The place of conversations: a folder, `memory` or the address of a database.
    pub store: Option<Sourced<PathBuf>>,
    /// The engine of `web_search`.
    pub search: Option<Sourced<String>>,
    /// The proxies on the way to models.
    pub proxy: ProxySettings,
    /// The prices of models.
    pub prices: Option<Sourced<PriceSetting>>,
    /// The kinds of input that models take besides text.
    pub models: Option<Sourced<Vec<ModelSetting>>>,
    /// The model's sampling parameters and stop sequences.
    pub sampling: SamplingSettings,
    /// The colours of a terminal: `dark`, `light`, `plain` or `auto`.
    pub theme: Option<Sourced<String>>,
    /// The display of thoughts: `brief`, `full` or `off`.
    pub thoughts: Option<Sourced<String>>,
    /// The part of changes in files that is shown: `full`, `short` or `off`.
    pub diff: Option<Sourced<String>>,
    /// How the terminal notifies a person who looks elsewhere: `off`, `auto`, `bell`, `osc9`,
    /// `osc777` or `osc99`.
    pub notify: Option<Sourced<String>>,
    /// The parts of the line of status, in order.
    pub status: Option<Sourced<Vec<String>>>,
    /// The keys of the line that is typed: `usual` or `vi`.
    pub keys: Option<Sourced<String>>,
    /// The most tokens that the model reads and writes at once.
    pub window: Option<Sourced<u64>>,
    /// The part of the window, in percent and at most 95, at which old turns are summarized; 0 for
    /// never.
    pub compact_at: Option<Sourced<u8>>,
    /// The collector of traces.
    pub otlp_endpoint: Option<Sourced<String>>,
    /// Whether traces have messages, arguments and results.
    pub otlp_contents: Sourced<bool>,
    /// Whether each request in a trace has its system prompt and all messages before it.
    pub otlp_whole_input: Sourced<bool>,
}

/// The rules of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PolicySettings {
    /// The person's policy file, instead of the one next to their settings.
    pub file: Option<Sourced<PathBuf>>,
    /// The rules in the person's settings, in order of precedence. They are left out if the caller
    /// gave a policy file.
    pub own: Vec<PolicyFile>,
    /// The rules of the project, which only narrow.
    pub project: Vec<PolicyFile>,
    /// Whether commands are confined: `on` or `off`.
    pub sandbox: Option<Sourced<bool>>,
}

/// The files `AGENTS.md` that are read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InstructionSettings {
    /// Whether any are.
    pub all: Sourced<bool>,
    /// Whether the project's are read; the project's own settings can leave them out.
    pub project: Sourced<bool>,
}

/// The proxies on the way to models. Variables such as `HTTPS_PROXY` rank between the two: below
/// the caller's values, and above a file's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProxySettings {
    /// The address that the caller gave.
    pub given: Option<String>,
    /// The address that a file has.
    pub written: Option<Sourced<String>>,
    /// Whether a proxy is also used for models over plain HTTP.
    pub is_for_plain_http: bool,
}

/// The place of the prices of models.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a file is named, or has them itself")]
pub enum PriceSetting {
    /// A file of prices.
    File(PathBuf),
    /// The prices themselves.
    Table(PriceTable),
}
