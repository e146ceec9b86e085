//! The arguments of the commands that ask a model, as clap reads them.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use silcrow_agent::{CallForms, ConnectionMode, EagerStart};
use silcrow_context::GuideLength;
use silcrow_event::Json;
use silcrow_parser::Dialect;
use silcrow_settings::ToolChoice;

use super::values::{calls, count, dialect, eager, guide, mode, variable};
use super::{
    BudgetArgs, ChangesArgs, GrammarBackend, LearnArgs, McpArgs, PolicyArgs, ProxyArgs,
    QuestionArgs, SamplingArgs, ShowArgs, Stream, WebArgs, WindowArgs,
};

/// The model and how it is asked, the tools, the store, the output and the limits.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentArgs {
    /// The model to ask; see silcrow help models
    #[arg(long, short = 'm')]
    pub(crate) model: Option<String>,
    /// How the model writes: sigil, phase or action
    #[arg(long, value_parser = dialect)]
    pub(crate) dialect: Option<Dialect>,
    /// In which forms calls are read [default: known]
    #[arg(long, value_name = "FORMS", value_parser = calls())]
    pub(crate) calls: Option<CallForms>,
    /// Let delimiters count anywhere in a line (sigil), for a model that writes everything on one
    #[arg(long)]
    pub(crate) inline: bool,
    /// The value of $NAME in actions and answers (action); may be repeated
    #[arg(long = "var", value_name = "NAME=JSON", value_parser = variable)]
    pub(crate) vars: Vec<(String, Json)>,
    /// How many calls may run at once [default: 16]
    #[arg(long, value_name = "N")]
    pub(crate) max_parallel: Option<NonZeroUsize>,
    /// The connection to the model: one for the whole run, over which only new messages are sent,
    /// or a request for each step, with the whole conversation [default: auto]
    #[arg(long, value_parser = mode())]
    pub(crate) mode: Option<ConnectionMode>,
    /// How text comes: token, event (whole units) or none
    #[arg(long, value_enum)]
    pub(crate) stream: Option<Stream>,
    /// Print every event and a summary, as JSON lines
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the text of calls too while they are written (with --json --stream token)
    #[arg(long)]
    pub(crate) call_text: bool,
    /// Print the results of a batch as one event with their counts (with --json)
    #[arg(long, requires = "json")]
    pub(crate) batch_results: bool,
    #[command(flatten)]
    pub(crate) questions: QuestionArgs,
    /// Wait while the conversation runs elsewhere
    #[arg(long)]
    pub(crate) wait: bool,
    /// Your name, where several people share a store
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// The store: a folder, a postgres:// URL or memory
    #[arg(long, value_name = "PLACE")]
    pub(crate) store: Option<PathBuf>,
    /// The folder that the tools see
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Work in a worktree of git with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) worktree: Option<String>,
    /// The tools to offer: names; or except: and names; or with: and names, beside the usual ones
    #[arg(long, value_name = "NAMES")]
    pub(crate) tools: Option<ToolChoice>,
    /// Run this tool without asking; may be repeated
    #[arg(long, value_name = "TOOL")]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Which calls start before their batch is complete; actions start as soon as they may
    #[arg(long, value_name = "CALLS", value_parser = eager(), default_value = "read-only")]
    pub(crate) eager: EagerStart,
    /// A file that declares agents, workflows and relics
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Make the server restrict the model to the wire form, by a grammar in the notation of that
    /// server (with compatible:URL#MODEL)
    #[arg(long, value_name = "SERVER", value_enum, conflicts_with = "manifest")]
    pub(crate) grammar: Option<GrammarBackend>,
    /// Your own instructions, in place of your AGENTS.md
    #[arg(long = "system", alias = "instructions", value_name = "TEXT|@FILE")]
    pub(crate) instructions: Option<String>,
    /// Leave out the files AGENTS.md, also your own
    #[arg(long)]
    pub(crate) no_instructions: bool,
    /// Run no hooks
    #[arg(long)]
    pub(crate) no_hooks: bool,
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    /// How much of the wire form the system prompt teaches
    #[arg(long, value_name = "LENGTH", value_parser = guide(), default_value = "full")]
    pub(crate) guide: GuideLength,
    /// Do not put what tools, pages and files say between two lines with a mark, by which the model
    /// can tell it from the words of the person
    #[arg(long)]
    pub(crate) no_data_marks: bool,
    /// A conversation that shows the model how to write
    #[arg(long, value_name = "FILE")]
    pub(crate) examples: Option<PathBuf>,
    /// Maximum number of requests
    #[arg(long, value_name = "N", default_value = "20", value_parser = count)]
    pub(crate) max_steps: NonZeroU32,
    /// How many tokens a second the rehearsal model writes
    #[arg(long, value_name = "N", default_value = "200", value_parser = count)]
    pub(crate) rate: NonZeroU32,
    #[command(flatten)]
    pub(crate) proxy: ProxyArgs,
    #[command(flatten)]
    pub(crate) sampling: SamplingArgs,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    #[command(flatten)]
    pub(crate) changes: ChangesArgs,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}
