//! The check that programs elsewhere can embed the libraries: one with a session and its own
//! terminal, and one with a manifest.
//!
//! They are a separate workspace, which sees only public items.

use xtask::process;

/// Builds and runs the programs, and compares their output.
pub(crate) fn run() -> Result<(), String> {
    for (package, args, prints) in PROGRAMS {
        let mut cargo = xtask::cargo();
        cargo.current_dir(xtask::root().join("crates/session/programs"));
        // No setting of the person counts, so that the rehearsal model answers.
        cargo.env("XDG_CONFIG_HOME", "/nonexistent").env_remove("SILCROW_MODEL");
        // Crates from elsewhere that the workspace has built are not built again.
        cargo.env("CARGO_BUILD_BUILD_DIR", xtask::root().join("target"));
        cargo.args(["run", "--quiet", "--locked", "--package", package, "--"]).args(args);
        let printed = process::output(&mut cargo)?;
        if let Some(part) = prints.iter().find(|part| !printed.contains(**part)) {
            return Err(format!("{package} {args:?} does not print {part:?}, but: {printed}"));
        }
    }
    Ok(())
}

type Texts = &'static [&'static str];

/// The packages of the programs, with their arguments and parts of their output.
const PROGRAMS: [(&str, Texts, Texts); 2] = [
    (
        "silcrow-terminal-program",
        &["What is in this directory?", "And what is in README.md?"],
        &["README.md"],
    ),
    (
        "silcrow-manifest-program",
        &["manifest/silcrow.toml"],
        &["agent poet", "The poet has written about rain."],
    ),
];
