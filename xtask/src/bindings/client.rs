//! The package `@silcrow/client` of npm, which needs no build.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{copy, empty_folder, succeed, version};
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
    node.args(["--test", "--test-reporter", "spec", "clients/js/tests/client.test.mjs"]);
    node.env("SILCROW_PACKAGE", format!("file://{}/", folder.display()));
    node.env("SILCROW_PROGRAM", faces::target().join("debug/silcrow"));
    succeed(node.current_dir(crate::root()), "the client for JavaScript fails")
}

/// Puts the package together, and returns its folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let folder = empty_folder("client")?;
    let source = crate::root().join("clients/js");
    for file in ["client.js", "client.d.ts", "README.md"] {
        copy(&source.join(file), &folder.join(file))?;
    }
    let about = fs::read_to_string(source.join("package.json"))
        .map_err(|why| format!("{}: {why}", source.display()))?;
    let about = about.replace("\"0.0.0\"", &format!("\"{}\"", version()?));
    fs::write(folder.join("package.json"), about)
        .map_err(|why| format!("{}: {why}", folder.display()))?;
    Ok(folder)
}
