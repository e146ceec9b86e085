//! The arguments of `silcrow` and its commands, as clap reads them.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::build_facts::VERSION_LINE;

mod acp;
mod added_server;
mod agent;
mod answer;
mod budget;
mod chat;
mod completions;
mod config;
mod context;
mod dev;
mod doctor;
mod given;
mod grammar;
mod import;
mod log;
mod manifest;
mod mcp;
mod mcp_serve;
mod mcp_tools;
mod models;
mod onto;
mod orders;
mod parse;
mod policy;
mod profile;
mod proxy;
mod rehearse;
mod replay;
mod review;
mod run;
mod runs;
mod sampling;
mod serve;
mod show;
mod skills;
mod tool;
mod undo;
mod values;
mod web;
mod window;
mod worktree;

pub(crate) use acp::AcpArgs;
pub(crate) use agent::AgentArgs;
pub(crate) use answer::{AnswerArgs, AnswerScope, QuestionArgs, YesOrNo};
pub(crate) use budget::BudgetArgs;
pub(crate) use chat::ChatArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use config::{ConfigArgs, ConfigCommand};
pub(crate) use context::{CompactArgs, ContextArgs};
pub(crate) use dev::DevCommand;
pub(crate) use doctor::DoctorArgs;
pub(crate) use grammar::GrammarArgs;
pub(crate) use import::ImportArgs;
pub(crate) use log::{ExportFormat, LogArgs, LogCommand, LogListArgs};
pub(crate) use manifest::ManifestCommand;
pub(crate) use mcp::{AddServerArgs, McpCommand, McpServerArgs, ServerListCommand};
pub(crate) use mcp_serve::McpServeArgs;
pub(crate) use mcp_tools::McpArgs;
pub(crate) use models::{LOCAL_PORTS, ModelsArgs};
pub(crate) use orders::{BudgetOrderArgs, LimitedAccount, OrderedRun, StopArgs};
pub(crate) use parse::{AssembleArgs, ParseArgs};
pub(crate) use policy::{PolicyArgs, PolicyCommand, SandboxSwitch};
pub(crate) use profile::{LearnArgs, ProfileArgs, ProfileCommand};
pub(crate) use proxy::ProxyArgs;
pub(crate) use rehearse::RehearseArgs;
pub(crate) use replay::ReplayArgs;
pub(crate) use review::ReviewArgs;
pub(crate) use run::RunArgs;
pub(crate) use runs::RunsCommand;
pub(crate) use sampling::SamplingArgs;
pub(crate) use serve::{ServeArgs, UserToken, WorkerArgs};
pub(crate) use show::ShowArgs;
pub(crate) use skills::SkillsArgs;
pub(crate) use tool::{CallToolArgs, ListToolsArgs};
pub(crate) use undo::{ChangesArgs, DiffArgs, UndoArgs};
pub(crate) use values::{Chunks, GrammarBackend, ParseOutput, Stream};
pub(crate) use web::WebArgs;
pub(crate) use window::WindowArgs;
pub(crate) use worktree::{WorktreeArgs, WorktreeCommand};

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
    /// Open a session at this terminal, as silcrow alone does
    Chat(Box<ChatArgs>),
    /// Answer one prompt, and print the answer
    Run(Box<RunArgs>),
    /// Review changes, and print the findings
    Review(Box<ReviewArgs>),
    /// Serve an agent over HTTP, for pages and other programs
    Serve(Box<ServeArgs>),
    /// Answer, stop, limit or continue runs of other processes
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Run the agent in an editor, over the Agent Client Protocol
    Acp(Box<AcpArgs>),
    /// List the models you can use, and the servers on this machine
    Models(ModelsArgs),
    /// List, show, search, export and delete conversations
    Log(LogArgs),
    /// Show what the model reads of a conversation, with token counts
    Context(ContextArgs),
    /// Summarize the older part of a conversation for the model
    Compact(CompactArgs),
    /// Take back what tools changed in files
    Undo(UndoArgs),
    /// Show what a conversation has changed in files, as a patch
    Diff(DiffArgs),
    /// List and remove the git worktrees made by --worktree
    Worktree(WorktreeArgs),
    /// List the tools with what they do and when they ask
    Tools(ListToolsArgs),
    /// Call one tool by hand, within the same limits as a model's call
    Tool(CallToolArgs),
    /// List the skills and the prompt commands of a folder
    Skills(SkillsArgs),
    /// Show what a manifest declares, and trust it
    #[command(subcommand)]
    Manifest(ManifestCommand),
    /// Manage MCP servers, or run silcrow as one
    Mcp(McpServerArgs),
    /// Show your settings with their sources, or change them
    Config(ConfigArgs),
    /// Import servers, hooks, instructions and commands of another tool
    Import(ImportArgs),
    /// Show or change the facts kept about you
    Profile(ProfileArgs),
    /// Check permission rules, and classify commands
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Check the settings, the model, the store, the sandbox and the terminal
    Doctor(DoctorArgs),
    /// Parse, rehearse and replay what models write, to build on silcrow
    #[command(subcommand)]
    Dev(DevCommand),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Show the version and how it was built
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
