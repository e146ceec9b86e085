//! The laboratory: programs that measure and try out the workspace; `cargo lab` lists them.
//!
//! Each command is a module. `cargo xtask ci` needs none of them, so they are a workspace of their own,
//! and nobody compiles them to check a change.

mod benches;
mod builds;
mod campaign;
mod cluster;
mod eval;
mod load;
mod local_model;
mod measure;
mod picture;
mod record;
mod start;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] | ["help"] => help(),
        words if words.iter().any(|word| matches!(*word, "-h" | "--help")) => help(),
        [name, args @ ..] => match COMMANDS.iter().find(|command| command.name == *name) {
            Some(command) => (command.run)(args),
            None => Err(format!("unknown command `{name}`; `cargo lab help` lists them")),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("lab: {why}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> Result<(), String> {
    println!("cargo lab COMMAND");
    for LabCommand { name, args, what, .. } in COMMANDS {
        println!("\n  {}", format!("{name} {args}").trim_end());
        what.lines().for_each(|line| println!("      {line}"));
    }
    Ok(())
}

struct LabCommand {
    name: &'static str,
    /// Its arguments as the help shows them.
    args: &'static str,
    what: &'static str,
    run: fn(&[&str]) -> Result<(), String>,
}

const COMMANDS: &[LabCommand] = &[
    LabCommand {
        name: "builds",
        args: "[NAME]…",
        what: "\
builds a first agent with silcrow, rig and genai, and the command with the profiles release
and dist, each from nothing, and counts lines, crates and CPU seconds",
        run: builds::run,
    },
    LabCommand {
        name: "campaign",
        args: "[NAME]… [--seed N]",
        what: "\
runs the long forms of the tests of reliability, one after the other: kills, power cuts,
flipped bits, failing calls, eight processes; about an hour",
        run: campaign::run,
    },
    LabCommand {
        name: "cluster",
        args: "[--servers N] [--port N] [--model NAME]",
        what: "\
starts a PostgreSQL server, three `silcrow serve` on it and a balancer, and lets you kill,
freeze and cut them off while you watch which server runs which conversation",
        run: cluster::run,
    },
    LabCommand {
        name: "database",
        args: "",
        what: "\
measures durable appends of 32 clients to PostgreSQL beside the same statement under pgbench,
and the cost of following 1,000 conversations; fails above 1.3 x and 5 %",
        run: benches::database,
    },
    LabCommand {
        name: "eval",
        args: "\
[--model URL#NAME] [--questions N] [--prompt NAME]… [--dialect NAME]… [--calls NAME]…
       [--grammar yes|no]…",
        what: "\
asks the model of `local-model`, or a model on a server of Chat Completions, 80 questions over
a small folder, with each of several system prompts, in each dialect, with `--calls` own, known
and native, with and without a grammar, and counts right calls, right answers and runs that
ended by mistake; takes hours in full",
        run: eval::run,
    },
    LabCommand {
        name: "eval memory",
        args: "[--talks N]",
        what: "\
asks that model 24 questions about statements more than 30 turns back, in a window of 2,048
tokens, with and without a summary and the tool `recall`; takes about 20 minutes",
        run: eval::run,
    },
    LabCommand {
        name: "load",
        args: "[--streams N --seconds N --reconnects N]",
        what: "\
measures what a server adds to 1,000 runs that write 50 words a second, its memory, and whether
words are missing after 10,000 connections that were cut; fails above 25 ms for 99 of 100 words,
above 150 MB, and if a word is missing or came twice",
        run: load::run,
    },
    LabCommand {
        name: "local-model",
        args: "",
        what: "\
fetches a small model (350 MB, Python packages), starts it in llama.cpp, and has it use a tool
and answer through each API that it speaks; for docs/providers.md",
        run: local_model::run,
    },
    LabCommand {
        name: "measure",
        args: "[SOURCE]… [--save]",
        what: "\
makes one table of counts and times: lexer, parser, accumulator, encoders, steps, program, start
and server; fails if a count is more than 5 % above xtask/lab/measures.txt; with --save, renews
the rows there",
        run: measure::run,
    },
    LabCommand {
        name: "peers",
        args: "[--bytes N] [--rounds N], or native [--messages N] [--only FAMILY] [--rounds N]",
        what: "\
measures lexer and parser, or the readers of native forms, beside other parsers, for
docs/measurements.md; builds 300 crates",
        run: benches::peers,
    },
    LabCommand {
        name: "picture",
        args: "[--check]",
        what: "\
draws the terminals of the README and the docs again, from real runs; with --check, says which
picture is stale",
        run: picture::run,
    },
    LabCommand {
        name: "recall",
        args: "",
        what: "\
counts how many queries the tool `recall` answers right, beside a ranking by the number of words
alone, and measures its calls; for docs/measurements.md",
        run: benches::recall,
    },
    LabCommand {
        name: "record",
        args: "[NAME]… [--check] [--program FILE]",
        what: "\
records ten tasks at a terminal, or those that are named, in docs/recordings; with --check,
fails if one of them is no longer what the command shows; --program names a command that is
built already",
        run: record::run,
    },
    LabCommand {
        name: "start",
        args: "[CONVERSATIONS]…",
        what: "\
measures how long the command takes until a person can type, and until it lists conversations,
in stores of so many conversations; otherwise 1 and 1,000",
        run: start::run,
    },
    LabCommand {
        name: "turns",
        args: "[FEW MANY]",
        what: "\
measures how long a run takes to its first token after conversations of so many turns, with and
without a summary; otherwise 100 and 5,000",
        run: start::turns::run,
    },
];

/// Returns a command of cargo in the root of the repository.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Returns the root of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this package is two folders down").to_owned()
}

/// Returns the build folder of the workspace.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root().join("target"))
}

/// Builds the command with a profile, and returns its path.
fn build(profile: &str) -> Result<PathBuf, String> {
    let mut cargo = cargo();
    cargo.args(["build", "--locked", "--package", "silcrow-cli", "--profile", profile]);
    succeed(&mut cargo, "the build of `silcrow`")?;
    Ok(target().join(if profile == "dev" { "debug" } else { profile }).join("silcrow"))
}

/// Runs a program to its end.
fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|why| format!("{what} does not start: {why}"))?;
    if status.success() { Ok(()) } else { Err(format!("{what} failed ({status})")) }
}
