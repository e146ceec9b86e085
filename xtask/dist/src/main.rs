//! The program that builds, packs and tests the forms that people install; `cargo dist` lists its
//! commands.
//!
//! It installs each form as a person does, and tests each package in its language.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its reader sits at a terminal")]

mod archive;
mod bindings;
mod components;
mod forms;
mod gather;
mod install;
mod libraries;
mod npm;
mod platform;
mod release;
#[cfg(test)]
mod tests;
mod wheel;
mod zip;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use flate2::Compression;
use xtask::{disk, process};

fn main() -> ExitCode {
    match Dist::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("dist: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Builds, packs and tests what people install.
#[derive(Parser)]
#[command(bin_name = "cargo dist", max_term_width = 100)]
enum Dist {
    /// Build the packages for JavaScript and Python in target/bindings, and test them
    Bindings {
        /// `wasm`, `client` or `python`; otherwise all
        names: Vec<String>,
    },
    /// Build the command with the profile dist, and pack it in target/packed: an archive with manual pages
    /// and completions, a wheel, packages for npm, checksums, licences and a bill of materials
    Pack {
        /// Pack a program that is built already
        #[arg(long)]
        program: Option<PathBuf>,
        /// Install each form in an empty environment and run it; a PROGRAM is not compressed then
        #[arg(long = "check")]
        is_checked: bool,
    },
}

impl Dist {
    fn run(self) -> Result<(), String> {
        match self {
            Self::Bindings { names } => {
                bindings::run(&names.iter().map(String::as_str).collect::<Vec<_>>())
            }
            Self::Pack { program: None, is_checked } => {
                pack(&build()?, Compression::best(), is_checked)
            }
            Self::Pack { program: Some(program), is_checked } => {
                // The checks run it in other folders.
                let program = program.canonicalize().map_err(|why| disk::at(&program, &why))?;
                // Programs for tests are large, and a compressor that is not optimized is slow.
                let level = if is_checked { Compression::none() } else { Compression::best() };
                pack(&program, level, is_checked)
            }
        }
    }
}

/// Packs a program in each form, and installs and uses each if `is_checked`.
fn pack(program: &Path, level: Compression, is_checked: bool) -> Result<(), String> {
    let folder = forms::write(&gather::gather(program, level)?)?;
    if is_checked {
        install::check(&folder)?;
        libraries::check(&folder, program)?;
    }
    Ok(())
}

/// Builds the program and the module of Python for a release, and returns the path of the program.
fn build() -> Result<PathBuf, String> {
    let mut cargo = xtask::cargo();
    cargo.args(["build", "--quiet", "--locked", "--profile", "dist"]);
    cargo.args(["--package", "silcrow-cli", "--package", "silcrow-python"]);
    process::succeed(&mut cargo, "the program does not build")?;
    let name = format!("silcrow{}", std::env::consts::EXE_SUFFIX);
    Ok(xtask::target().join("dist").join(name))
}
