//! The package `@silcrow/client` of npm, which needs no build.

use std::path::PathBuf;

use super::{assemble, test_in_node};

/// Tests the package against a server.
pub(super) fn check() -> Result<(), String> {
    xtask::build_all()?;
    test_in_node(&build()?, &TESTS)
}

/// The tests, in node and in a browser.
const TESTS: [&str; 2] = ["clients/js/tests/client.test.mjs", "clients/js/tests/browser.test.mjs"];

/// Puts the package together, and returns its folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let source = xtask::root().join("clients/js");
    assemble("client", &source, &["client.js", "client.d.ts"])
}
