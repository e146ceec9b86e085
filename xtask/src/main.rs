//! The program that builds and checks the workspace. Each command that `cargo xtask` lists is a module.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its reader sits at a terminal")]

mod api;
mod cases;
mod ci;
mod crew;
mod deny;
mod faces;
mod features;
mod fuzz;
mod no_std;
mod package;
mod programs;
#[cfg(test)]
mod readme;
mod splits;
mod targets;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use fuzz::FuzzOptions;
use xtask::process;

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

/// Builds and checks the workspace. `cargo dist` packs what people install, and `cargo lab` measures.
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
    /// Convert, bless or format files of cases
    #[command(subcommand)]
    Cases(CasesCommand),
    /// Have the real clients of crates/*/peers talk to what is built here, and a browser show the page
    Faces {
        /// The clients; otherwise all
        names: Vec<String>,
    },
    /// Feed the fuzz targets, as many at once as there are processors, and keep the shortest input that
    /// fails as a case, which tests replay
    Fuzz(FuzzOptions),
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
        match self {
            Self::Ci { stages } => ci::run(&stages),
            Self::Tidy => tidy::run(),
            Self::Advisories { clone } => deny::renew(&clone),
            Self::Api { is_blessed: true } => api::bless(),
            Self::Api { .. } => api::check(),
            Self::Cases(CasesCommand::Import { file }) => cases::import(&file),
            Self::Cases(CasesCommand::Bless) => cases::bless(),
            Self::Cases(CasesCommand::Format) => cases::format(),
            Self::Faces { names } => faces::run(&names),
            Self::Fuzz(options) => fuzz::run(&options),
            Self::Package { is_blessed: true } => package::bless(),
            Self::Package { .. } => package::check(),
            Self::Splits { is_reviewed: true } => splits::review(),
            Self::Splits { .. } => splits::renew(),
        }
    }
}
