//! The workspace: its place, and its builds by cargo.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;

/// Returns the root of the workspace.
///
/// # Panics
///
/// Panics if this crate is not in a folder of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("this crate is a folder of the workspace").to_owned()
}

/// Returns the folder of build artifacts.
pub fn target() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root().join("target"))
}

/// Returns a command of cargo in the root of the workspace.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Returns cargo for a build of the workspace, whose compiler lints if this machine wants it.
///
/// `cargo clippy` checks all crates and keeps nothing that a test can run. With clippy's driver as the
/// compiler of the workspace, a machine that builds once compiles once.
pub fn workspace_cargo() -> Command {
    let mut cargo = cargo();
    if lints_builds() {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", WARNINGS_FAIL);
    }
    cargo
}

/// Returns whether builds lint. Somebody who builds again and again is better served by `cargo clippy`,
/// which is quicker alone.
pub fn lints_builds() -> bool {
    env::var_os("XTASK_LINT_BUILDS").is_some_and(|value| value == "1")
}

/// Builds all libraries, examples and programs.
///
/// The whole workspace is built with the features that its tests have, because dependencies with
/// other features would all be built again. Only with examples has cargo the features that tests
/// turn on.
///
/// # Errors
///
/// Returns an error if the workspace does not build.
pub fn build_all() -> Result<(), String> {
    let mut cargo = workspace_cargo();
    cargo.args(["build", "--quiet", "--locked", "--workspace", "--all-features"]);
    process::succeed(cargo.args(["--lib", "--examples", "--bins"]), "the workspace does not build")
}

/// Returns whether the standard library of a target is installed.
pub fn has_target(target: &str) -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", target])
        .current_dir(root())
        .output();
    asked.is_ok_and(|said| Path::new(String::from_utf8_lossy(&said.stdout).trim()).is_dir())
}

/// `-D warnings`, as `cargo clippy` hands it to the driver.
const WARNINGS_FAIL: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";
