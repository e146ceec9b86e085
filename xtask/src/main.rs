//! The program that builds, checks and measures the workspace; `cargo xtask` lists its commands.
//!
//! Each command is a module. None of them is part of a published crate.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its reader sits at a terminal")]

mod api;
mod bindings;
mod builds;
mod campaign;
mod cases;
mod ci;
mod cluster;
mod database;
mod deny;
mod dist;
mod eval;
mod faces;
mod features;
mod fuzz;
mod load;
mod local_model;
mod man;
mod measure;
mod no_std;
mod package;
mod peers;
mod picture;
mod programs;
#[cfg(test)]
mod readme;
mod recall;
mod splits;
mod start;
mod targets;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    if let Some(code) = targets::as_stand_in() {
        return code;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] | ["help"] => help(),
        words if words.iter().any(|word| matches!(*word, "-h" | "--help")) => help(),
        ["advisories", clone] => deny::renew(clone),
        ["advisories", ..] => {
            Err("`cargo xtask advisories` takes a clone of the database".to_owned())
        }
        ["tidy"] => tidy::run(),
        ["tidy", ..] => Err("`cargo xtask tidy` takes no argument".to_owned()),
        ["ci", stages @ ..] => ci::run(stages),
        ["cluster", args @ ..] => cluster::run(args),
        ["builds", names @ ..] => builds::run(names),
        ["campaign", args @ ..] => campaign::run(args),
        ["api"] => api::run(false),
        ["api", "--bless"] => api::run(true),
        ["api", ..] => Err("`cargo xtask api` takes `--bless` and nothing else".to_owned()),
        ["package"] => package::run(false),
        ["package", "--bless"] => package::run(true),
        ["package", ..] => Err("`cargo xtask package` takes `--bless` and nothing else".to_owned()),
        ["splits"] => splits::run(false),
        ["splits", "--review"] => splits::run(true),
        ["splits", ..] => Err("`cargo xtask splits` takes `--review` and nothing else".to_owned()),
        ["cases", "import", path] => cases::import(path),
        ["cases", "bless"] => cases::bless(),
        ["cases", "format"] => cases::format(),
        ["cases", ..] => {
            Err("`cargo xtask cases` takes `import FILE`, `bless` or `format`".to_owned())
        }
        ["faces", names @ ..] => faces::run(names),
        ["fuzz", args @ ..] => fuzz::run(args),
        ["load", args @ ..] => load::run(args),
        ["measure", args @ ..] => measure::run(args),
        ["peers", args @ ..] => peers::run(args),
        ["picture"] => picture::run(),
        ["picture", "--check"] => picture::check(),
        ["picture", ..] => Err("`cargo xtask picture` takes `--check` and nothing else".to_owned()),
        ["start", args @ ..] => start::run(args),
        ["turns", args @ ..] => start::turns::run(args),
        ["eval", args @ ..] => eval::run(args),
        ["local-model"] => local_model::run(),
        ["local-model", ..] => Err("`cargo xtask local-model` takes no argument".to_owned()),
        ["bindings", names @ ..] => bindings::run(names, &mut ci::Tally::default()),
        ["dist", args @ ..] => dist::run(args),
        ["database"] => database::run(),
        ["database", ..] => Err("`cargo xtask database` takes no argument".to_owned()),
        ["recall"] => recall::run(),
        ["recall", ..] => Err("`cargo xtask recall` takes no argument".to_owned()),
        ["man"] => man::run("target/man"),
        ["man", folder] => man::run(folder),
        ["man", ..] => Err("`cargo xtask man` takes a folder and nothing else".to_owned()),
        [other, ..] => Err(format!("there is no command `{other}`\n\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> Result<(), String> {
    println!("{HELP}");
    Ok(())
}

/// Returns a command of cargo in the root of the workspace.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("this crate is a folder of the workspace").to_owned()
}

const HELP: &str = "\
cargo xtask COMMAND

  tidy          compares the crate table of docs/architecture.md with the manifests, and checks
                sources and pages against the rules of docs/style.md
  ci [STAGE]…   everything that is checked before a change goes in, or only the named stages:
                fmt, tidy, deny, clippy, targets, features, test, no-std, programs, docs, api,
                package, faces, bindings, dist; and alone, measure and fuzz, which run only if they are named
  advisories CLONE
                renews the list of advisories about the crates of Cargo.lock from a clone of
                https://github.com/rustsec/advisory-db, for `ci deny`
  cases import FILE
                converts a JSON list of behaviour cases in place of those from outside
  cases bless   writes what the parser makes of our own cases into their files, where it is not
                what they expect, and shows each difference
  cases format  writes every file of cases in one form
  api [--bless]
                compares the public API of each published crate with its listing in xtask/api, and
                shows what changed; with --bless, renews the listings
  bindings [NAME]…
                builds the packages for JavaScript and Python in target/bindings, or the named ones
                (wasm, client, python), and tests them
  builds [NAME]…
                builds a first agent with silcrow, rig and genai, and the command with the profiles
                release and dist, each from nothing, and counts lines, crates and CPU seconds
  campaign [NAME]… [--seed N]
                runs the long forms of the tests of reliability, one after the other: kills, power
                cuts, flipped bits, failing calls, eight processes; about an hour
  cluster [--servers N] [--port N] [--model NAME]
                starts a PostgreSQL server, three `silcrow serve` on it and a balancer, and lets you
                kill, freeze and cut them off while you watch who runs which conversation
  database      measures durable appends of 32 clients to PostgreSQL beside the same statement under
                pgbench, and the cost of following 1,000 conversations; fails above 1.3 x and 5 %
  dist [--program FILE] [--check]
                builds the command with the profile dist, and packs it in target/packed: an archive
                with manual pages and completions, a wheel, packages for npm, checksums, licences and
                a bill of materials; with FILE, packs that program; with --check, installs each form
                in an empty environment and runs it (a FILE is not compressed then)
  eval [--model URL#NAME] [--questions N] [--prompt NAME]… [--dialect NAME]… [--calls NAME]…
       [--grammar yes|no]…
                asks the model of `local-model`, or the one of a server of Chat Completions, 80
                questions over a small folder, with each of several system prompts, in each
                dialect, with `--calls` own, known and native, with and without a grammar, and
                counts right calls, right answers and runs that ended by mistake; takes hours in full
  eval memory [--talks N]
                asks that model 24 questions about what was said more than 30 turns before, in a
                window of 2,048 tokens, with and without a summary and the tool `recall`; takes
                about 20 minutes
  faces [NAME]…
                has the real clients of crates/*/peers, or the named ones, talk to what is built here,
                and a browser show the page; installs them with npm and pip in target/faces
  fuzz [TARGET]… [--runs N | --secs N] [--seed N]
                feeds the fuzz targets, 20 seconds each, as many at once as there are processors,
                and keeps the shortest input that fails as a case, which tests replay
  load [--streams N --seconds N --reconnects N]
                measures what a server adds to 1,000 runs that write 50 words a second, its memory,
                and whether words are missing after 10,000 connections that were cut; fails above
                25 ms for 99 of 100 words, above 150 MB, and where one is missing or came twice
  package [--bless]
                checks that each crate can be published: its manifest, its README, and what cargo
                packs; with --bless, makes the READMEs from the docs of the libraries
  peers [--bytes N] [--rounds N]
                measures lexer and parser beside other parsers, for docs/measurements.md; builds 300 crates
  local-model   fetches a small model (350 MB, Python packages), starts it in llama.cpp, and has it
                use a tool and answer by each API that it speaks; for docs/providers.md
  measure [SOURCE]… [--save]
                makes one table of what is counted and timed: lexer, parser, accumulator, encoders,
                steps, program, start and server; fails if a count is more than 5 % above
                xtask/measures.txt; with --save, renews the rows there
  man [FOLDER]  writes the manual pages silcrow.1 and its like into a folder, or into target/man
  picture [--check]
                draws the terminal of the README again, from real runs; with --check, says whether
                it is stale
  recall        counts how many queries the tool `recall` answers right, beside a ranking by the
                number of words alone, and measures its calls; for docs/measurements.md
  splits [--review]
                renews the split gallery; with --review, opens what changed in `cargo insta`
  start [CONVERSATIONS]…
                measures how long the command takes until a person can type, and until it lists
                conversations, in stores of so many conversations; otherwise 1 and 1,000
  turns [FEW MANY]
                measures how long a run takes to its first token after conversations of so many
                turns, with and without a summary; otherwise 100 and 5,000";
