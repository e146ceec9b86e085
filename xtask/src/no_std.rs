//! The check that `silcrow-lex` works in a program with neither `std` nor an allocator.
//!
//! The attribute `no_std` alone shows little: a dependency may use `std`, and a build of the
//! workspace has all features that other crates turn on.

use std::process::Command;

use crate::process;

/// Builds the program and runs it.
pub(crate) fn run() -> Result<(), String> {
    let wrong = format!("`{FOLDER}` does not build, or its lexer reads something else");
    process::succeed(&mut program("run", &[]), &wrong)
}

/// Returns a command of cargo for the program with some of its features.
fn program(command: &str, features: &[&str]) -> Command {
    let mut cargo = crate::cargo();
    cargo.current_dir(crate::root().join(FOLDER));
    // Only an optimised build leaves the code for unwinding out.
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

    /// Checks that the test above can fail.
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
