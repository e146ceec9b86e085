//! The `silcrow` command.
//!
//! Each command is a module, and `commands` has them all: `run` runs an agent, `serve` serves one
//! over HTTP, `models` lists models, `log` shows stored conversations, `undo` takes changes of
//! files back, `tool_list` lists tools, `tool_call` calls one by hand, `mcp` looks after MCP
//! servers, `manifest` shows manifests, `policy` checks rules, `config` shows and changes settings,
//! `profile` shows and changes the facts about the person, `doctor` checks the machine,
//! `completions` prints scripts for shells, `man` writes manual pages, `build_facts` prints the
//! version, and `help` explains. Of `silcrow dev`, `parse` reads wire text, `assemble` makes
//! messages of stored events, `rehearse` plays wire text against stubs, `grammar` prints a dialect
//! as a grammar, and `replay` runs recorded prompts again. Of `silcrow runs`, `answer` answers the
//! questions of a run that waits, and `orders` stops a run and changes its budget. `moved` accepts
//! former spellings.
//!
//! The command reads arguments and settings, opens sessions with them, and shows their events. The
//! crate `silcrow-session` has the sessions, and `silcrow-console` shows a run to a person.

#![cfg_attr(
    not(feature = "serve"),
    allow(
        dead_code,
        unused_imports,
        reason = "what only the servers use belongs to modules that all commands share"
    )
)]

mod acp;
mod after_run;
mod answer;
mod args;
mod assemble;
mod build_facts;
mod chat;
mod commands;
mod completions;
mod config;
mod context;
mod conversation;
mod damage;
mod debug_log;
mod diff;
mod doctor;
mod environment;
mod failure;
mod fork;
mod grammar;
mod help;
mod host;
mod import;
mod input;
mod instructions;
mod log;
mod man;
mod manifest;
mod mcp;
#[cfg_attr(not(feature = "serve"), path = "mcp_serve/absent.rs")]
mod mcp_serve;
mod mistyped;
mod model;
mod models;
mod moved;
mod orders;
mod parse;
mod places;
mod policy;
mod profile;
mod prompt;
mod rehearse;
mod replay;
mod review;
mod run;
mod runtime;
#[cfg_attr(not(feature = "serve"), path = "serve/absent.rs")]
mod serve;
mod skills;
mod stored_head;
mod system;
mod system_limits;
mod tool_call;
mod tool_list;
mod undo;
mod worktree;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use silcrow_console::live;
use silcrow_console::printer::Printer;

use crate::args::{Args, Command, McpCommand, RunsCommand};
use crate::failure::Failure;

fn main() -> ExitCode {
    // Before everything else: this process may be a helper that confines a command.
    silcrow_sandbox::run_helper_if_asked();
    // Or it decodes one file, in a sandbox.
    silcrow_session::decode_if_asked();
    // The environment has keys. A system that refuses this does not keep the command from working.
    let _ = silcrow_sandbox::harden_this_process();
    let typed = moved::respelled(std::env::args_os().collect());
    if let [_, flag] = &*typed
        && (flag == "--version" || flag == "-V")
    {
        // The version is the same for every command, so the definitions of arguments are not built
        // for it.
        let shown = build_facts::version_line();
        return shown.map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS);
    }
    let args = match parsed(&typed) {
        Ok(args) => args,
        Err(error) if !error.use_stderr() => {
            let shown = failure::written(error.print());
            return shown.map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS);
        }
        Err(error) => {
            let failure = mistyped::mistyped(&typed, &error);
            return reported(&typed, failure).report();
        }
    };
    let goes_on = tells_damage_itself(&args.command);
    let has_screen = commands::has_screen(&args.command);
    let work = commands::prepared(args);
    let work = match work.and_then(|work| debug_log::start(has_screen).map(|()| work)) {
        Ok(work) => work,
        Err(failure) => return reported(&typed, failure).report(),
    };
    let done = match system_limits::guarded(work) {
        Ok(()) if goes_on => Ok(()),
        done => damage::after(done),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Returns the arguments. At a terminal, flags without a command belong to a session, and a first
/// word with blanks is its prompt.
fn parsed(typed: &[OsString]) -> Result<Args, clap::Error> {
    let error = match help::parse_plainly(typed) {
        Ok(args) => return Ok(args),
        Err(error) => error,
    };
    let is_session = typed.get(1).is_none_or(|word| {
        let word = word.as_encoded_bytes();
        word.starts_with(b"-") || word.contains(&b' ')
    });
    if is_session && error.use_stderr() && io::stdin().is_terminal() && live::is_possible() {
        let (program, flags) = typed.split_at(typed.len().min(1));
        let session = [program, &[OsString::from("chat")], flags].concat();
        if let Ok(args) = help::parse_plainly(&session) {
            return Ok(args);
        }
    }
    help::parse(typed)
}

/// Returns whether a command works on in a damaged store, and says so as soon as it knows it.
const fn tells_damage_itself(command: &Command) -> bool {
    match command {
        Command::Chat(_)
        | Command::Acp(_)
        | Command::Serve(_)
        | Command::Runs(RunsCommand::Worker(_)) => true,
        Command::Mcp(args) => matches!(args.command, McpCommand::Serve(_)),
        _ => false,
    }
}

/// Prints the failure of a command that has not begun as an event for programs that asked for
/// events.
fn reported(typed: &[OsString], failure: Failure) -> Failure {
    let mut words = typed.iter().skip(1);
    let is_run = match words.next() {
        Some(command) if command == "dev" => words.next().is_some_and(|word| word == "replay"),
        command => command.is_some_and(|word| word == "run"),
    };
    if is_run
        && typed.iter().any(|word| word == "--json")
        && let Some(event) = failure.to_event()
    {
        Printer::to_stdout(false).entry(&event.into());
    }
    failure
}
