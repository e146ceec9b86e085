//! The package `@silcrow/parser` of npm: the module in WebAssembly, its glue and its types.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{copy, empty_folder, succeed, version};
use crate::faces;

/// Returns what is missing to build and test the package.
pub(super) fn missing() -> Option<String> {
    (!faces::exists("node")).then(|| "node, which runs the tests".to_owned())
}

/// Builds and tests the package.
pub(super) fn check() -> Result<(), String> {
    let folder = build()?;
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter", "spec"]).args(TESTS).current_dir(crate::root());
    node.env("SILCROW_PACKAGE", format!("file://{}/", folder.display()));
    succeed(&mut node, "the package for JavaScript fails")
}

/// Builds the package, and returns its folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--locked", "--package", "silcrow-wasm", "--target", TARGET]);
    cargo.args(["--profile", "dist", "--config", "profile.dist.panic=\"abort\""]);
    // A page loads it before anything else, so size counts more than here.
    for package in FAST {
        cargo.args(["--config", &format!("profile.release.package.{package}.opt-level=\"s\"")]);
    }
    succeed(&mut cargo, "the module does not build")?;
    let folder = empty_folder("parser")?;
    let module = format!("{TARGET}/dist/silcrow_wasm.wasm");
    copy(&faces::target().join(module), &folder.join("silcrow.wasm"))?;
    let source = crate::root().join("crates/wasm/package");
    for file in ["silcrow.js", "silcrow.d.ts", "README.md"] {
        copy(&source.join(file), &folder.join(file))?;
    }
    let about = fs::read_to_string(source.join("package.json"))
        .map_err(|why| format!("{}: {why}", source.display()))?;
    let about = about.replace("\"0.0.0\"", &format!("\"{}\"", version()?));
    fs::write(folder.join("package.json"), about)
        .map_err(|why| format!("{}: {why}", folder.display()))?;
    Ok(folder)
}

/// The target that the module is built for.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

const TESTS: [&str; 3] = [
    "crates/wasm/tests/parser.test.mjs",
    "crates/wasm/tests/size.test.mjs",
    "crates/wasm/tests/page.test.mjs",
];

/// The crates that the profile optimizes for speed, as far as the module has them.
const FAST: [&str; 8] = [
    "memchr",
    "serde_json",
    "silcrow-accumulate",
    "silcrow-event",
    "silcrow-front",
    "silcrow-lex",
    "silcrow-parser",
    "silcrow-sanitize",
];
