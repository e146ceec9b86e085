//! The check that `silcrow-lex` works in a program with neither `std` nor an allocator.
//!
//! The attribute `no_std` alone shows little: a dependency may use `std`, and a build of the
//! workspace has all features that other crates turn on.

use std::process::Command;

use xtask::process;

/// Builds the program and runs it, and has it need each of the two, so that it does not build.
pub(crate) fn run() -> Result<(), String> {
    let wrong = format!("`{FOLDER}` does not build, or its lexer reads something else");
    process::succeed(&mut program("run", ""), &wrong)?;
    for (feature, why) in NEEDS {
        match process::output(&mut program("build", feature)) {
            Err(said) if said.contains(why) => {}
            other => return Err(format!("with `{feature}` it should not build: {other:?}")),
        }
    }
    Ok(())
}

/// Returns a command of cargo for the program with a feature.
fn program(command: &str, feature: &str) -> Command {
    let mut cargo = xtask::cargo();
    cargo.current_dir(xtask::root().join(FOLDER));
    // Only an optimised build leaves the code for unwinding out.
    cargo.args([command, "--quiet", "--locked", "--release", "--features", feature]);
    cargo
}

const FOLDER: &str = "crates/lex/no_std";

/// Features with which a dependency of the program needs an allocator or `std`, and rustc's error
/// for each.
const NEEDS: [(&str, &str); 2] =
    [("alloc", "no global memory allocator found"), ("std", "duplicate lang item `panic_impl`")];
