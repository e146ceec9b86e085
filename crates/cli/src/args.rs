//! The arguments of `silcrow` and its commands, as clap reads them.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use silcrow_agent::{ConnectionMode, EagerStart};
use silcrow_context::GuideLength;
use silcrow_event::Json;
use silcrow_grammar::GrammarFormat;
use silcrow_parser::Dialect;

use crate::model;

mod answer;
mod budget;
mod log;
mod manifest;
mod policy;
mod replay;
mod tool;
mod undo;
mod values;
mod web;

pub(crate) use answer::{AnswerArgs, AnswerScope, OnQuestion, YesOrNo};
pub(crate) use budget::BudgetArgs;
pub(crate) use log::LogCommand;
pub(crate) use manifest::ManifestCommand;
pub(crate) use policy::{PolicyArgs, PolicyCommand};
pub(crate) use replay::ReplayArgs;
pub(crate) use tool::{CallToolArgs, ListToolsArgs};
pub(crate) use undo::{ChangesArgs, UndoArgs};
pub(crate) use values::{Chunks, GrammarBackend, ParseOutput, Stream};
use values::{chunks, count, dialect, eager, format, guide, mode, rate, variable};
pub(crate) use web::WebArgs;

/// Streaming agents whose model writes thoughts, calls and answers as text.
#[derive(Debug, Parser)]
#[command(name = "silcrow", version, max_term_width = 100)]
#[command(after_help = "\
Exit codes: 0 answered, 1 failed while running, 2 wrong arguments or input,
3 waiting for answers, 128 + N stopped by signal N (130 by Ctrl-C).

Try:  silcrow run \"What is in this directory?\"")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read wire text and print its events, one JSON object a line
    Parse(ParseArgs),
    /// Read stored events (JSON Lines) and print the messages of the next request
    Assemble(AssembleArgs),
    /// Run an agent from a prompt to an answer
    Run(Box<RunArgs>),
    /// Run the prompts of a conversation again, with another model, dialect or prompt
    ///
    /// A call of a tool that is read-only or idempotent gets the result that the log has of an
    /// identical call, and its tool does not run. You are asked about every other call; where nobody
    /// can be asked, the model reads that it was not allowed, unless --allow names its tool.
    Replay(Box<ReplayArgs>),
    /// Show the questions for whose answers a run waits, and answer them
    Answer(AnswerArgs),
    /// Show which models can be asked, with which keys, and which servers listen on this machine
    Models(ModelsArgs),
    /// Show the stored conversations, or the events of one; look after the store
    Log(LogArgs),
    /// Take back what tools changed in files, or take back such an undo
    Undo(UndoArgs),
    /// List the tools as a model gets them, with what they do and when they ask
    Tools(ListToolsArgs),
    /// Call one tool by hand, within the same limits as a model's call
    Tool(CallToolArgs),
    /// Play wire text against stubbed tools, in virtual time
    Rehearse(RehearseArgs),
    /// Write a dialect as a grammar for constrained decoding
    Grammar(GrammarArgs),
    /// Show what a manifest declares, and trust it or trust it no longer
    #[command(subcommand)]
    Manifest(ManifestCommand),
    /// Check the rules about what runs without a question, or what they read in a command
    #[command(subcommand)]
    Policy(PolicyCommand),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ParseArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// Let delimiters count anywhere in a line (sigil)
    #[arg(long)]
    pub(crate) inline: bool,
    /// Print complete events, or fragments as they come
    #[arg(long, value_enum, default_value = "event")]
    pub(crate) stream: ParseOutput,
    /// Print the text of calls too while they are written (with --stream token)
    #[arg(long)]
    pub(crate) call_text: bool,
    /// Cut the input: `whole`, N bytes a piece, or `random:SEED` [default: as it is read]
    #[arg(long, value_name = "whole|N|random:SEED", value_parser = chunks)]
    pub(crate) chunks: Option<Chunks>,
    /// Print diagnostics too, as `error` events of scope `model`
    #[arg(long)]
    pub(crate) notes: bool,
    /// Wire text; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AssembleArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// Put the system message first
    #[arg(long)]
    pub(crate) system: bool,
    /// Stored events, one JSON object a line; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
#[command(after_help = model::HELP)]
pub(crate) struct RunArgs {
    /// The prompt; read from standard input if it is `-`, or if it is left out and input is piped
    pub(crate) prompt: Option<String>,
    /// The conversation to continue, or to begin under this id
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Begin a conversation with the history of this one, up to the event SEQ or to its end, and
    /// continue there with the prompt; --conversation names the new one
    #[arg(long, value_name = "ID[@SEQ]")]
    pub(crate) fork: Option<String>,
    /// Continue the run of the conversation that waits for answers, or that was stopped, without a
    /// new prompt
    #[arg(long, requires = "conversation", conflicts_with_all = ["prompt", "fork"])]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}

/// The model and how it is asked, the tools, the store, the output and the limits.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentArgs {
    /// The model to ask [default: SILCROW_MODEL, otherwise rehearsal]
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
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
    /// or a request for each step, with the whole conversation
    #[arg(long, value_parser = mode(), default_value = "auto")]
    pub(crate) mode: ConnectionMode,
    /// Show text as it is written, in complete units, or ask for the answer in one piece
    /// [default: token; with --json, event]
    #[arg(long, value_enum)]
    pub(crate) stream: Option<Stream>,
    /// Print every event, one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the text of calls too while they are written (with --json --stream token)
    #[arg(long)]
    pub(crate) call_text: bool,
    /// What happens with a question that nobody answers at once; with `park` the run ends with the
    /// exit code 3, silcrow answer answers, and silcrow run --resume continues [default: ask at a
    /// terminal, otherwise deny]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) on_question: Option<OnQuestion>,
    /// The user who asks: a conversation continues for its own user only [default: SILCROW_USER, or
    /// no user]
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Where conversations are kept: a folder, or `memory` [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, value_name = "DIR|memory")]
    pub(crate) store: Option<PathBuf>,
    /// The folder that the tools see, and nothing beyond it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// A tool that may run without asking you; may be repeated. Protected files stay protected:
    /// git's own files, the manifest, the store, start files of shells
    #[arg(long, value_name = "TOOL")]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// Which calls start before their batch is complete; actions start as soon as they may
    #[arg(long, value_name = "CALLS", value_parser = eager(), default_value = "read-only")]
    pub(crate) eager: EagerStart,
    /// Agents, relics, workflows and models to call, declared in a TOML file; in sigil and phase
    /// they are called as tools. You are asked about a file that you do not trust yet (see
    /// silcrow manifest --help)
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Make the server restrict the model to the wire form, by a grammar in the notation of that
    /// server (with compatible:URL#MODEL)
    #[arg(long, value_name = "SERVER", value_enum, conflicts_with = "manifest")]
    pub(crate) grammar: Option<GrammarBackend>,
    /// Your own part of the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) instructions: Option<String>,
    /// How much of the wire form the system prompt teaches
    #[arg(long, value_name = "LENGTH", value_parser = guide(), default_value = "full")]
    pub(crate) guide: GuideLength,
    /// Do not put what tools, pages and files say between two lines with a mark, by which the model
    /// can tell it from the words of the person
    #[arg(long)]
    pub(crate) no_data_marks: bool,
    /// A conversation that shows the model how to write and what to do, as `silcrow log show ID
    /// --json` prints one; the conversation of the run follows it
    #[arg(long, value_name = "FILE")]
    pub(crate) examples: Option<PathBuf>,
    /// How many requests the agent may make; each agent that it calls may make as many of its own
    #[arg(long, value_name = "N", default_value = "20", value_parser = count)]
    pub(crate) max_steps: NonZeroU32,
    /// How many tokens a second the rehearsal model writes
    #[arg(long, value_name = "N", default_value = "200", value_parser = count)]
    pub(crate) rate: NonZeroU32,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    #[command(flatten)]
    pub(crate) changes: ChangesArgs,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LogCommand>,
    /// Print JSON, one object a line, also on a terminal
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// The conversation whose events to show, as `show` does; without one they are listed
    pub(crate) conversation: Option<String>,
    /// Continue with what is added to the conversation, as `show` does
    #[arg(long, requires = "conversation")]
    pub(crate) follow: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A vendor is asked for its list of models by each key in its variable (see silcrow run --help).
Servers of this machine are looked for at the ports where llama.cpp, vLLM, Ollama and LM Studio
listen unless told otherwise; they are sent no key.")]
pub(crate) struct ModelsArgs {
    /// List all models of each vendor and server
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, one object a line, also on a terminal
    #[arg(long)]
    pub(crate) json: bool,
    /// The ports at which to look for servers on this machine; may be repeated
    #[arg(long = "port", value_name = "PORT", default_values_t = [8080, 8000, 11434, 1234])]
    pub(crate) ports: Vec<u16>,
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

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Stubs are a JSON object from the id of an action, or the name of a tool, to one of
  {\"ms\":10,\"ok\":VALUE}                     ends well after 10 ms
  {\"ms\":10,\"fail\":\"why\"}                  fails
  {\"ms\":10,\"fail_times\":2,\"ok\":VALUE}      fails twice first
  {\"hang\":true}                           never ends
A call without a stub takes 10 ms and returns the text `ID:ok`. A token is 4 characters.")]
pub(crate) struct RehearseArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// Let delimiters count anywhere in a line (sigil)
    #[arg(long)]
    pub(crate) inline: bool,
    /// Stubs in place of the tools: a JSON file [default: every call succeeds]
    #[arg(long, value_name = "FILE")]
    pub(crate) stubs: Option<PathBuf>,
    /// The values that names have from the start: a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) vars: Option<String>,
    /// How many calls may run at once
    #[arg(long, value_name = "N", default_value = "16")]
    pub(crate) max_parallel: NonZeroUsize,
    /// How many tokens of text arrive each second; 0 means all at once
    #[arg(long, value_name = "N", default_value = "0", value_parser = rate)]
    pub(crate) rate: f64,
    /// Print JSON, one object a line, also on a terminal
    #[arg(long)]
    pub(crate) json: bool,
    /// Wire text; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}
