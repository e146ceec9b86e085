//! The program that builds and checks the workspace; `cargo xtask` lists its commands.
//!
//! Each command is a module. None of them is part of a published crate.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its reader sits at a terminal")]

mod api;
mod bindings;
mod cases;
mod ci;
mod crew;
mod deny;
mod disk;
mod dist;
mod faces;
mod features;
mod fuzz;
mod installed;
mod man;
mod no_std;
mod package;
mod picture;
mod process;
mod programs;
#[cfg(test)]
mod readme;
mod splits;
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
        [name, args @ ..] => carry_out(name, args),
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
    println!("cargo xtask COMMAND");
    for XtaskCommand { name, args, what, .. } in COMMANDS {
        println!("\n  {}", format!("{name} {args}").trim_end());
        what.lines().for_each(|line| println!("      {line}"));
    }
    println!("\nThe stages are {}.", ci::names());
    println!("`cargo lab` measures what is built here.");
    Ok(())
}

fn carry_out(name: &str, args: &[&str]) -> Result<(), String> {
    let command = COMMANDS.iter().find(|command| command.name == name);
    let command = command
        .ok_or_else(|| format!("there is no command `{name}`; `cargo xtask help` lists them"))?;
    (command.run)(args).unwrap_or_else(|| {
        let takes = if command.args.is_empty() { "no arguments" } else { command.args };
        Err(format!("`cargo xtask {name}` takes {takes}"))
    })
}

struct XtaskCommand {
    name: &'static str,
    /// Its arguments as the help shows them.
    args: &'static str,
    what: &'static str,
    /// Returns `None` for arguments that it does not take.
    run: fn(&[&str]) -> Option<Result<(), String>>,
}

const COMMANDS: &[XtaskCommand] = &[
    XtaskCommand {
        name: "ci",
        args: "[STAGE]…",
        what: "checks everything that a change must pass, or runs the named stages",
        run: |stages| Some(ci::run(stages)),
    },
    XtaskCommand {
        name: "tidy",
        args: "",
        what: "\
compares the crate table of docs/architecture.md with the manifests, and looks for circles of
modules, types that share a name, and links that lead nowhere",
        run: |args| args.is_empty().then(tidy::run),
    },
    XtaskCommand {
        name: "advisories",
        args: "CLONE",
        what: "\
renews the copy of advisories about the crates of Cargo.lock, for `ci deny`, from a clone of
https://github.com/rustsec/advisory-db",
        run: |args| if let [clone] = args { Some(deny::renew(Path::new(clone))) } else { None },
    },
    XtaskCommand {
        name: "api",
        args: "[--bless]",
        what: "\
compares the public API of each published crate with its listing in xtask/api, and shows what
changed; with --bless, renews the listings",
        run: |args| flag(args, "--bless").map(api::run),
    },
    XtaskCommand {
        name: "bindings",
        args: "[NAME]…",
        what: "\
builds the packages for JavaScript and Python (wasm, client, python) in target/bindings, and
tests them",
        run: |names| Some(bindings::run(names, &mut ci::Tally::default())),
    },
    XtaskCommand {
        name: "cases",
        args: "import FILE | bless | format",
        what: "\
import FILE: converts a JSON list of behaviour cases in place of the earlier ones
bless: writes what the parser makes of our own cases into their files, and shows each difference
format: writes every file of cases in one form",
        run: |args| match args {
            ["import", path] => Some(cases::import(Path::new(path))),
            ["bless"] => Some(cases::bless()),
            ["format"] => Some(cases::format()),
            _ => None,
        },
    },
    XtaskCommand {
        name: "dist",
        args: "[--program FILE] [--check]",
        what: "\
builds the command with the profile dist, and packs it in target/packed: an archive with manual
pages and completions, a wheel, packages for npm, checksums, licences and a bill of materials;
with FILE, packs that program; with --check, installs each form in an empty environment and runs
it (a FILE is not compressed then)",
        run: |args| Some(dist::run(args)),
    },
    XtaskCommand {
        name: "faces",
        args: "[NAME]…",
        what: "\
has the real clients of crates/*/peers, or the named ones, talk to what is built here, and a
browser show the page; installs them with npm and pip in target/faces",
        run: |names| Some(faces::run(names)),
    },
    XtaskCommand {
        name: "fuzz",
        args: "[TARGET]… [--runs N | --secs N] [--seed N]",
        what: "\
feeds the fuzz targets, 20 seconds each, as many at once as there are processors, and keeps the
shortest input that fails as a case, which tests replay",
        run: |args| Some(fuzz::run(args)),
    },
    XtaskCommand {
        name: "man",
        args: "[FOLDER]",
        what: "writes the manual pages silcrow.1, silcrow-run.1 and so on into FOLDER or target/man",
        run: |args| match args {
            [] => Some(man::run(&target().join("man"))),
            [folder] => Some(man::run(Path::new(folder))),
            _ => None,
        },
    },
    XtaskCommand {
        name: "package",
        args: "[--bless]",
        what: "\
checks that each crate can be published: its manifest, its README, and what cargo packs; with
--bless, makes the READMEs from the docs of the libraries",
        run: |args| flag(args, "--bless").map(package::run),
    },
    XtaskCommand {
        name: "picture",
        args: "[--check]",
        what: "\
draws the terminals of the README and the docs again, from real runs; with --check, says which
picture is stale",
        run: |args| {
            flag(args, "--check").map(|is_check| match is_check {
                true => picture::check(),
                false => picture::run(),
            })
        },
    },
    XtaskCommand {
        name: "splits",
        args: "[--review]",
        what: "renews the split gallery; with --review, opens what changed in `cargo insta`",
        run: |args| flag(args, "--review").map(splits::run),
    },
];

/// Returns whether the only argument that a command takes is there.
fn flag(args: &[&str], name: &str) -> Option<bool> {
    match args {
        [] => Some(false),
        [arg] => (*arg == name).then_some(true),
        _ => None,
    }
}

/// Returns a command of cargo in the root of the workspace.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Returns the folder of what is built.
fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root().join("target"))
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("this crate is a folder of the workspace").to_owned()
}
