//! The settings that a caller gives, which count before all others.

use std::path::PathBuf;

use silcrow_agent::{CallForms, ConnectionMode};
use silcrow_parser::Dialect;
use silcrow_provider::Sampling;

use crate::mcp::DeclaredServer;
use crate::tool_choice::ToolChoice;

/// The settings that a caller gives: the flags of a command, or an editor's request. `None` leaves
/// a setting to the environment and the files.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GivenSettings {
    /// The name of the model.
    pub model: Option<String>,
    /// The notation of the model's output.
    pub dialect: Option<Dialect>,
    /// The forms of calls that are read.
    pub calls: Option<CallForms>,
    /// The connection to the model.
    pub mode: Option<ConnectionMode>,
    /// The tools that are offered.
    pub tools: Option<ToolChoice>,
    /// A policy file, which replaces the policy files of the person's settings.
    pub policy: Option<PathBuf>,
    /// Whether commands are confined.
    pub sandbox: Option<bool>,
    /// What a run does with a question that nobody answers: `park` or `deny`.
    pub on_question: Option<String>,
    /// MCP servers, in addition to the servers of the files.
    pub servers: Vec<DeclaredServer>,
    /// Whether the servers of the files are left out.
    pub leaves_out_servers: bool,
    /// Whether the files `AGENTS.md` are left out.
    pub leaves_out_instructions: bool,
    /// Whether facts about the person are read and noted.
    pub learn_profile: Option<bool>,
    /// The place of conversations.
    pub store: Option<PathBuf>,
    /// The engine of `web_search`.
    pub search: Option<String>,
    /// The proxy on the way to models.
    pub proxy: Option<String>,
    /// Whether a proxy is also used for models over plain HTTP.
    pub proxy_plain_http: bool,
    /// A file of prices.
    pub prices: Option<PathBuf>,
    /// The model's sampling parameters and stop sequences.
    pub sampling: Sampling,
    /// The colours of a terminal: `dark`, `light`, `plain` or `auto`.
    pub theme: Option<String>,
    /// The display of thoughts: `brief`, `full` or `off`.
    pub thoughts: Option<String>,
    /// The part of changes that is shown in files: `full`, `short` or `off`.
    pub diff: Option<String>,
    /// The most tokens that the model reads and writes at once.
    pub window: Option<u64>,
    /// The part of the window, in percent, at which old turns are summarized; 0 for never.
    pub compact_at: Option<u8>,
}
