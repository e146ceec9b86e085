//! The build of the fuzz targets.
//!
//! This module has the settings for coverage, and finds the programs that cargo builds.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::fuzz::folder;
use crate::fuzz::target::FuzzTarget;

/// Builds the targets, and returns their programs in the same order.
pub(crate) fn build(targets: &[&FuzzTarget]) -> Result<Vec<PathBuf>, String> {
    let mut cargo = xtask::cargo();
    // Cargo reads the settings for coverage only in the folder of the targets. Flags from the
    // environment would replace them.
    cargo.current_dir(folder()).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo.args(["build", "--release", "--locked", "--message-format=json-render-diagnostics"]);
    cargo.args(targets.iter().flat_map(|target| ["--bin", target.name]));
    let built = cargo.stderr(Stdio::inherit()).output();
    let built = built.map_err(|error| format!("cargo did not start: {error}"))?;
    if !built.status.success() {
        return Err("the fuzz targets, or the runtime in C++, do not build; see above".to_owned());
    }
    let messages = String::from_utf8_lossy(&built.stdout);
    let programs: Vec<(String, PathBuf)> = messages.lines().filter_map(program).collect();
    let of = |target: &&FuzzTarget| {
        let program = programs.iter().find(|(name, _)| name == target.name);
        program.map(|(_, path)| path.clone()).ok_or_else(|| format!("no program `{}`", target.name))
    };
    targets.iter().map(of).collect()
}

/// Returns the name and the path of the program that a message of cargo names.
fn program(message: &str) -> Option<(String, PathBuf)> {
    let message: Value = serde_json::from_str(message).ok()?;
    let name = message["target"]["name"].as_str()?;
    Some((name.to_owned(), message["executable"].as_str()?.into()))
}
