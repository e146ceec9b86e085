//! The package `@silcrow/client` of npm, which needs no build.

use std::path::PathBuf;
use std::process::Command;

use super::{assemble, succeed};
use crate::faces;

/// Returns what is missing to test the package.
pub(super) fn missing() -> Option<String> {
    (!faces::exists("node")).then(|| "node, which runs the tests".to_owned())
}

/// Tests the package against a server.
pub(super) fn check() -> Result<(), String> {
    let folder = build()?;
    faces::build()?;
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter", "spec"]).args(TESTS);
    node.env("SILCROW_PACKAGE", format!("file://{}/", folder.display()));
    node.env("SILCROW_PROGRAM", faces::target().join("debug/silcrow"));
    succeed(node.current_dir(crate::root()), "the client for JavaScript fails")
}

/// The tests, in node and in a browser.
const TESTS: [&str; 2] = ["clients/js/tests/client.test.mjs", "clients/js/tests/browser.test.mjs"];

/// Puts the package together, and returns its folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let source = crate::root().join("clients/js");
    assemble("client", &source, &["client.js", "client.d.ts"])
}
