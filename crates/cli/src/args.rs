//! The arguments of `silcrow` and its commands, as clap reads them.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{ArgGroup, Parser, Subcommand};
use silcrow_agent::{ConnectionMode, EagerStart};
use silcrow_context::GuideLength;
use silcrow_event::Json;
use silcrow_grammar::GrammarFormat;
use silcrow_parser::Dialect;

use crate::build_facts::VERSION_LINE;
use crate::telemetry::TelemetrySettings;
use crate::tool_choice::{OfferedTools, ToolChoice};

mod acp;
mod answer;
mod budget;
mod chat;
mod completions;
mod config;
mod context;
mod doctor;
mod log;
mod manifest;
mod mcp;
mod mcp_serve;
mod models;
mod orders;
mod parse;
mod policy;
mod profile;
mod proxy;
mod rehearse;
mod replay;
mod sampling;
mod serve;
mod show;
mod tool;
mod undo;
mod values;
mod web;

pub(crate) use acp::AcpArgs;
pub(crate) use answer::{AnswerArgs, AnswerScope, OnQuestion, QuestionArgs, YesOrNo};
pub(crate) use budget::{BudgetArgs, SpendingArgs};
pub(crate) use chat::ChatArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use config::{ConfigArgs, ConfigCommand};
pub(crate) use context::{CompactArgs, ContextArgs, WindowArgs};
pub(crate) use doctor::DoctorArgs;
pub(crate) use log::{ExportFormat, LogArgs, LogCommand, LogListArgs};
pub(crate) use manifest::ManifestCommand;
pub(crate) use mcp::{AddServerArgs, McpArgs, McpCommand, McpServerArgs, ServerListCommand};
pub(crate) use mcp_serve::McpServeArgs;
pub(crate) use models::{LOCAL_PORTS, ModelsArgs};
pub(crate) use orders::{BudgetOrderArgs, LimitedAccount, OrderedRun, StopArgs};
pub(crate) use parse::{AssembleArgs, ParseArgs};
pub(crate) use policy::{PolicyArgs, PolicyCommand, SandboxSwitch};
pub(crate) use profile::{LearnArgs, ProfileArgs, ProfileCommand};
pub(crate) use proxy::ProxyArgs;
pub(crate) use rehearse::RehearseArgs;
pub(crate) use replay::ReplayArgs;
pub(crate) use sampling::SamplingArgs;
pub(crate) use serve::{ServeArgs, UserToken, WorkerArgs};
pub(crate) use show::{Detail, DiffShown, ShowArgs, ThemeName, Thoughts};
pub(crate) use tool::{CallToolArgs, ListToolsArgs};
pub(crate) use undo::{ChangesArgs, DiffArgs, UndoArgs};
pub(crate) use values::{Chunks, GrammarBackend, ParseOutput, Stream};
use values::{count, dialect, eager, format, guide, mode, variable};
pub(crate) use web::WebArgs;

/// An agent in your terminal: ask, watch it work, and decide what it may do.
#[derive(Debug, Parser)]
#[command(name = "silcrow", version = VERSION_LINE, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "\
silcrow alone opens a session. silcrow help lists topics, such as models.

Try:  silcrow run \"What is in this directory?\"")]
pub(crate) struct Args {
    /// Use this profile of your settings
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read wire text and print its events, one JSON object a line
    Parse(ParseArgs),
    /// Read stored events and print the messages of the next request
    Assemble(AssembleArgs),
    /// Open a session at this terminal, as silcrow alone does
    Chat(Box<ChatArgs>),
    /// Answer one prompt, and print the answer
    Run(Box<RunArgs>),
    /// Run the prompts of a conversation again, with another model
    ///
    /// A call of a tool that is read-only or idempotent gets the result that the log has of an
    /// identical call, and its tool does not run. You are asked about every other call; where nobody
    /// can be asked, the model reads that it was not allowed, unless --allow names its tool.
    Replay(Box<ReplayArgs>),
    /// Serve an agent over HTTP, for pages and other programs
    Serve(Box<ServeArgs>),
    /// Continue runs that wait in a database: those with answers, and those whose process is gone
    Worker(Box<WorkerArgs>),
    /// Show the questions for which a run waits, and answer them
    Answer(AnswerArgs),
    /// Stop the run at work in a conversation, in whatever process it is
    Stop(StopArgs),
    /// Change what the run at work in a conversation may spend
    Budget(BudgetOrderArgs),
    /// Let an editor run the agent, by the Agent Client Protocol over standard input and output
    Acp(Box<AcpArgs>),
    /// Show which models you can ask, and which servers run here
    Models(ModelsArgs),
    /// List, show, search, export and delete conversations
    Log(LogArgs),
    /// Show what the model reads of a conversation, with tokens
    Context(ContextArgs),
    /// Summarize the older part of a conversation for the model
    Compact(CompactArgs),
    /// Take back what tools changed in files
    Undo(UndoArgs),
    /// Show what a conversation has changed in files, as a patch
    Diff(DiffArgs),
    /// List the tools with what they do and when they ask
    Tools(ListToolsArgs),
    /// Call one tool by hand, within the same limits as a model's call
    Tool(CallToolArgs),
    /// Play wire text against stubbed tools, in virtual time
    Rehearse(RehearseArgs),
    /// Write a dialect as a grammar for constrained decoding
    Grammar(GrammarArgs),
    /// Show what a manifest of agents declares, and trust it
    #[command(subcommand)]
    Manifest(ManifestCommand),
    /// List, try, add and remove MCP servers, whose tools the agent has, and be one
    Mcp(McpServerArgs),
    /// Show your settings and where each is from, and change them
    Config(ConfigArgs),
    /// Show what is known of you, and change it
    Profile(ProfileArgs),
    /// Check the rules about what runs without a question
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Check the settings, the model, the store, the sandbox and the terminal
    Doctor(DoctorArgs),
    /// Print a script by which a shell completes commands and flags
    Completions(CompletionsArgs),
    /// Show the version, and what it was built from
    Version {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write the manual pages of all commands into a folder
    #[command(hide = true)]
    Man {
        /// The folder, which is made if there is none
        folder: PathBuf,
    },
    /// Show the help of a command or a topic, or list both
    Help {
        /// A command with its subcommands, or a topic
        words: Vec<String>,
    },
}

/// The last lines of the help of `silcrow run` and its like.
const RUN_TOPICS: &str = "\
More: silcrow help models, permissions, mcp, limits, dialects, web, conversations, environment, exit-codes";

#[derive(Debug, clap::Args)]
#[command(after_help = RUN_TOPICS)]
#[command(group(ArgGroup::new("existing").args(["conversation", "continue_last"])))]
pub(crate) struct RunArgs {
    /// The prompt; `-`, or nothing with piped input, reads standard input
    pub(crate) prompt: Option<String>,
    /// A file for the prompt; `-` waits for standard input
    #[arg(long = "file", value_name = "PATH", conflicts_with_all = ["resume", "retry"])]
    pub(crate) files: Vec<PathBuf>,
    /// Continue the conversation whose id begins like this
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Continue the last conversation of this folder
    #[arg(long = "continue", conflicts_with = "conversation")]
    pub(crate) continue_last: bool,
    /// Send the prompt to the conversation's run at work
    #[arg(long, requires = "existing", conflicts_with_all = ["files", "resume", "retry"])]
    pub(crate) steer: bool,
    /// Begin a conversation under this id
    #[arg(long, value_name = "ID", conflicts_with = "existing")]
    pub(crate) new: Option<String>,
    /// Begin with the history of another, up to event SEQ
    #[arg(long, value_name = "ID[@SEQ]", conflicts_with = "existing")]
    pub(crate) fork: Option<String>,
    /// Continue a run that waits for answers or was stopped
    #[arg(long, requires = "existing", conflicts_with_all = ["prompt", "fork"])]
    pub(crate) resume: bool,
    /// Ask again when the last answer was cut or failed
    #[arg(long, conflicts_with_all = ["prompt", "fork", "new", "resume"])]
    pub(crate) retry: bool,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}

/// The model and how it is asked, the tools, the store, the output and the limits.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentArgs {
    /// The model to ask; see silcrow help models
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// How the model writes: sigil, phase or action
    #[arg(long, value_parser = dialect)]
    pub(crate) dialect: Option<Dialect>,
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
    /// The tools to offer: names, or except: and names
    #[arg(long, value_name = "NAMES")]
    pub(crate) tools: Option<ToolChoice>,
    /// The choices of tools that hold for the run, with those of the settings.
    #[arg(skip)]
    pub(crate) offered: OfferedTools,
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
    /// Whether the settings of the project leave out those of the project.
    #[arg(skip)]
    pub(crate) no_project_instructions: bool,
    /// Whether the settings leave out how to work on code.
    #[arg(skip)]
    pub(crate) no_coding: bool,
    #[command(flatten)]
    pub(crate) window: WindowArgs,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    /// The model that names conversations, which only the settings of the person choose.
    #[arg(skip)]
    pub(crate) title_model: Option<String>,
    /// Where traces are sent, which only the settings of the person choose.
    #[arg(skip)]
    pub(crate) telemetry: TelemetrySettings,
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
    /// The most requests that it makes
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

impl AgentArgs {
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect.unwrap_or(Dialect::Sigil)
    }

    pub(crate) fn mode(&self) -> ConnectionMode {
        self.mode.unwrap_or_default()
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct GrammarArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// The notation of the grammar: that of llama.cpp or of llguidance
    #[arg(long, value_parser = format())]
    pub(crate) format: GrammarFormat,
    /// The tools that may be called, a JSON list of names; `-` is standard input [default: any]
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
}
