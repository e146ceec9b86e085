//! Builds of the workspace whose compiler lints, so that a machine that builds once compiles once.
//!
//! `cargo clippy` checks all crates and keeps nothing that a test can run. With clippy's driver as the
//! compiler of the workspace, the stage `clippy` builds what the stages behind it run.

use std::env;
use std::process::Command;

/// Returns cargo for a build of the workspace, which lints if this machine wants it.
pub(crate) fn workspace_cargo() -> Command {
    let mut cargo = crate::cargo();
    if lints_builds() {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver").env("CLIPPY_ARGS", WARNINGS_FAIL);
    }
    cargo
}

/// Returns whether builds lint. Somebody who builds again and again is better served by `cargo clippy`,
/// which is quicker alone.
pub(crate) fn lints_builds() -> bool {
    env::var_os("XTASK_LINT_BUILDS").is_some_and(|value| value == "1")
}

/// `-D warnings`, as `cargo clippy` hands it to the driver.
const WARNINGS_FAIL: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";
