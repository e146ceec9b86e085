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
mod linted;
mod man;
mod no_std;
mod package;
mod process;
mod programs;
#[cfg(test)]
mod readme;
mod splits;
mod targets;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};
use fuzz::FuzzOptions;

fn main() -> ExitCode {
    // Asked for later, after builds, the path may lead nowhere.
    let _ = process::own_program();
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    if let Some(code) = targets::as_stand_in() {
        return code;
    }
    match Xtask::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Builds and checks the workspace. `cargo lab` measures it.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", max_term_width = 100)]
struct Xtask {
    #[command(subcommand)]
    command: XtaskCommand,
}

#[derive(Subcommand)]
enum XtaskCommand {
    /// Check everything that a change must pass, or run the named stages
    Ci {
        #[arg(long_help = format!("The stages, of which those in parentheses run only if they are named: {}", ci::names()))]
        stages: Vec<String>,
    },
    /// Compare the crate table of docs/architecture.md with the manifests, and look for circles of modules,
    /// types that share a name, and links that lead nowhere
    Tidy,
    /// Renew the copy of advisories about the crates of Cargo.lock, for `ci deny`
    Advisories {
        /// A clone of `rustsec/advisory-db` on GitHub
        clone: PathBuf,
    },
    /// Compare the public API of each published crate with its listing in xtask/api
    Api {
        /// Renew the listings
        #[arg(long = "bless")]
        is_blessed: bool,
    },
    /// Build the packages for JavaScript and Python in target/bindings, and test them
    Bindings {
        /// `wasm`, `client` or `python`; otherwise all
        names: Vec<String>,
    },
    /// Convert, bless or format files of cases
    #[command(subcommand)]
    Cases(CasesCommand),
    /// Build the command with the profile dist, and pack it in target/packed: an archive with manual pages
    /// and completions, a wheel, packages for npm, checksums, licences and a bill of materials
    Dist {
        /// Pack a program that is built already
        #[arg(long)]
        program: Option<PathBuf>,
        /// Install each form in an empty environment and run it; a PROGRAM is not compressed then
        #[arg(long = "check")]
        is_checked: bool,
    },
    /// Have the real clients of crates/*/peers talk to what is built here, and a browser show the page
    Faces {
        /// The clients; otherwise all
        names: Vec<String>,
    },
    /// Feed the fuzz targets, as many at once as there are processors, and keep the shortest input that
    /// fails as a case, which tests replay
    Fuzz(FuzzOptions),
    /// Write the manual pages silcrow.1, silcrow-run.1 and so on
    Man {
        /// The folder to write into; otherwise target/man
        folder: Option<PathBuf>,
    },
    /// Check that each crate can be published: its manifest, its README, and what cargo packs
    Package {
        /// Make the READMEs from the docs of the libraries first
        #[arg(long = "bless")]
        is_blessed: bool,
    },
    /// Renew the split gallery
    Splits {
        /// Open what changed in `cargo insta`
        #[arg(long = "review")]
        is_reviewed: bool,
    },
}

#[derive(Subcommand)]
enum CasesCommand {
    /// Convert a JSON list of behaviour cases in place of the earlier ones
    Import { file: PathBuf },
    /// Write what the parser makes of our own cases into their files, and show each difference
    Bless,
    /// Write every file of cases in one form
    Format,
}

impl XtaskCommand {
    fn run(self) -> Result<(), String> {
        let words = |names: &[String], run: &dyn Fn(&[&str]) -> Result<(), String>| {
            run(&names.iter().map(String::as_str).collect::<Vec<_>>())
        };
        match self {
            Self::Ci { stages } => words(&stages, &ci::run),
            Self::Tidy => tidy::run(),
            Self::Advisories { clone } => deny::renew(&clone),
            Self::Api { is_blessed: true } => api::bless(),
            Self::Api { .. } => api::check(),
            Self::Bindings { names } => {
                words(&names, &|names| bindings::run(names, &mut ci::Tally::default()))
            }
            Self::Cases(CasesCommand::Import { file }) => cases::import(&file),
            Self::Cases(CasesCommand::Bless) => cases::bless(),
            Self::Cases(CasesCommand::Format) => cases::format(),
            Self::Dist { program: None, is_checked: false } => dist::pack_release().map(drop),
            Self::Dist { program: None, .. } => dist::check_release(),
            Self::Dist { program: Some(program), is_checked: false } => dist::pack(&program),
            Self::Dist { program: Some(program), .. } => dist::check(&program),
            Self::Faces { names } => words(&names, &faces::run),
            Self::Fuzz(options) => fuzz::run(&options),
            Self::Man { folder } => man::run(&folder.unwrap_or_else(|| target().join("man"))),
            Self::Package { is_blessed: true } => package::bless(),
            Self::Package { .. } => package::check(),
            Self::Splits { is_reviewed: true } => splits::review(),
            Self::Splits { .. } => splits::renew(),
        }
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
