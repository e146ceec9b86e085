//! The check that programs elsewhere can embed the libraries: one with a session and a terminal of its
//! own, and one with a manifest.
//!
//! They are a workspace of their own, which sees only what is public.

use std::process::Command;

use crate::process;

/// Builds and runs the programs, and compares what they print.
pub(crate) fn run() -> Result<(), String> {
    for program in PROGRAMS {
        program.check()?;
    }
    Ok(())
}

/// A program, and a part of what it prints.
struct EmbeddingProgram {
    package: &'static str,
    args: &'static [&'static str],
    prints: &'static [&'static str],
}

impl EmbeddingProgram {
    fn check(&self) -> Result<(), String> {
        let Self { package, args, prints } = self;
        let printed = process::output(&mut self.command())?;
        match prints.iter().find(|part| !printed.contains(**part)) {
            Some(part) => {
                Err(format!("{package} {args:?} does not print {part:?}, but: {printed}"))
            }
            None => Ok(()),
        }
    }

    fn command(&self) -> Command {
        let mut cargo = crate::cargo();
        cargo.current_dir(crate::root().join(FOLDER));
        // No setting of the person counts, so that the rehearsal model answers.
        cargo.env("XDG_CONFIG_HOME", "/nonexistent").env_remove("SILCROW_MODEL");
        // Crates from elsewhere that the workspace has built are not built again.
        cargo.env("CARGO_BUILD_BUILD_DIR", crate::root().join("target"));
        cargo.args(["run", "--quiet", "--locked", "--package", self.package, "--"]);
        cargo.args(self.args);
        cargo
    }
}

const FOLDER: &str = "crates/session/programs";

const PROGRAMS: [EmbeddingProgram; 2] = [
    EmbeddingProgram {
        package: "silcrow-terminal-program",
        args: &["What is in this directory?", "And what is in README.md?"],
        prints: &["README.md"],
    },
    EmbeddingProgram {
        package: "silcrow-manifest-program",
        args: &["manifest/silcrow.toml"],
        prints: &["agent poet", "The poet has written about rain."],
    },
];
