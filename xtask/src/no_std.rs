//! Links `silcrow-lex` into a program that has neither `std` nor an allocator, and runs it.
//!
//! That a crate says `no_std` shows little: what it depends on may bring `std` back, and a build
//! of the workspace takes any feature that a neighbour turns on.

use std::process::Command;

/// Builds the program and runs it.
pub(crate) fn run() -> Result<(), String> {
    let status =
        program("run", &[]).status().map_err(|why| format!("cargo did not start: {why}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{FOLDER}` does not build, or its lexer reads something else ({status})"))
}

/// A command of cargo over the program, with some of its features.
fn program(command: &str, features: &[&str]) -> Command {
    let mut cargo = crate::cargo();
    cargo.current_dir(crate::root().join(FOLDER));
    // What is not needed to unwind is left out only where the whole is optimised.
    cargo.args([command, "--quiet", "--locked", "--release", "--features", &features.join(",")]);
    cargo
}

const FOLDER: &str = "crates/lex/no_std";

#[cfg(test)]
mod tests {
    use super::program;

    #[test]
    fn the_lexer_runs_without_std_and_without_an_allocator() {
        let output = program("run", &[]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Without this, the test above would show nothing.
    #[test]
    fn the_program_does_not_build_where_something_below_it_needs_them() {
        for (feature, why) in [
            ("alloc", "no global memory allocator found"),
            ("std", "duplicate lang item `panic_impl`"),
        ] {
            let output = program("build", &[feature]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(why), "{feature}: {said}");
        }
    }
}
