//! The `silcrow` command.
//!
//! Each command is a module: `parse` reads wire text, `assemble` makes messages of stored events,
//! `run` runs an agent, `answer` answers the questions of a run that waits, `replay` runs recorded
//! prompts again, `models` lists models, `log` shows what is stored, `rehearse` plays wire
//! text against stubs, `grammar` prints a dialect as a grammar, `undo` takes changes of files back,
//! `tool_list` lists tools, `tool_call` calls one by hand, `manifest` shows manifests, and `policy`
//! checks rules.
//!
//! The command chooses the model, the store, the tools and the output of a run. A new model gets a
//! prefix in `model`, a new store a place in `places`, and a new output a module beside `screen`,
//! for people, and `printer`, for programs. Everything else is in the crates below.

mod answer;
mod approve;
mod args;
mod assemble;
mod columns;
mod cost;
mod damage;
mod environment;
mod failure;
mod fork;
mod grammar;
mod input;
mod interrupt;
mod known_secrets;
mod late_store;
mod limits;
mod lines;
mod log;
mod manifest;
mod migrate;
mod model;
mod models;
mod owned;
mod parse;
mod places;
mod plural;
mod policy;
mod prices;
mod printer;
mod prompt;
mod question;
mod rehearse;
mod replay;
mod run;
mod screen;
mod status;
mod stored_events;
mod stored_head;
mod task;
mod tool_call;
mod tool_list;
mod tools;
mod typed;
mod undo;
mod user;
mod web;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::printer::Printer;

fn main() -> ExitCode {
    // Before everything else: this process may be a helper that confines a command.
    silcrow_sandbox::run_helper_if_asked();
    // The environment has keys. A system that refuses this does not keep the command from working.
    let _ = silcrow_sandbox::harden_this_process();
    let typed: Vec<_> = std::env::args_os().collect();
    let args = match Args::try_parse_from(&typed) {
        Ok(args) => args,
        Err(error) if !error.use_stderr() => {
            let shown = failure::written(error.print());
            return shown.map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS);
        }
        Err(error) => return mistyped(&typed, &error).report(),
    };
    let done = match args.command {
        Command::Parse(args) => parse::parse(&args),
        Command::Assemble(args) => assemble::assemble(&args),
        Command::Run(args) => run::run(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::Answer(args) => answer::answer(&args),
        Command::Models(args) => models::models(&args),
        Command::Log(args) => log::log(&args),
        Command::Rehearse(args) => rehearse::rehearse(&args),
        Command::Grammar(args) => grammar::grammar(&args),
        Command::Undo(args) => undo::undo(&args),
        Command::Tools(args) => tool_list::list(&args),
        Command::Tool(args) => tool_call::call(&args),
        Command::Manifest(command) => manifest::manifest(&command),
        Command::Policy(command) => policy::command(&command),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Returns the failure for wrong arguments, and prints it as an event for programs that asked for
/// events.
fn mistyped(typed: &[OsString], error: &clap::Error) -> Failure {
    let words = |at: usize| typed.get(at).and_then(|word| word.to_str());
    let command = words(1).filter(|word| {
        [
            "parse", "assemble", "run", "replay", "answer", "models", "log", "rehearse", "grammar",
            "undo", "tools", "tool", "manifest", "policy",
        ]
        .contains(word)
    });
    let help = command.map_or_else(String::new, |command| format!("{command} "));
    let incomplete = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let failure = if let (true, Some(command)) = (incomplete, command) {
        Failure::given(format!("silcrow {command} needs a command; see silcrow {command} --help"))
    } else if incomplete {
        Failure::given("there is no command; try silcrow run \"What is here?\", or silcrow --help")
    } else {
        let rendered = error.render().to_string();
        let lines = rendered.lines().take_while(|line| !line.is_empty()).map(str::trim);
        let what = lines.collect::<Vec<_>>().join(" ");
        let what = what.strip_prefix("error: ").unwrap_or(&what);
        let quotes = match (command, error.kind()) {
            (Some("run"), ErrorKind::UnknownArgument) => {
                " (a prompt of several words needs quotes)"
            }
            _ => "",
        };
        Failure::given(format!("{what}{quotes}; see silcrow {help}--help"))
    };
    if matches!(command, Some("run" | "replay"))
        && typed.iter().any(|word| word == "--json")
        && let Some(event) = failure.to_event()
    {
        Printer::new(false).entry(&event.into());
    }
    failure
}
