//! The `silcrow` command.
//!
//! Each command is a file: `parse` reads wire text, `assemble` makes messages of stored events,
//! `run` runs an agent, `log` shows what is stored. This is the one place that picks a model, a
//! store and a face; everything else is in the crates below.

mod approve;
mod args;
mod assemble;
mod failure;
mod input;
mod log;
mod model;
mod parse;
mod places;
mod printer;
mod run;
mod screen;
mod visible;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Parse(args) => parse::parse(&args),
        Command::Assemble(args) => assemble::assemble(&args),
        Command::Run(args) => run::run(&args),
        Command::Log(args) => log::log(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
