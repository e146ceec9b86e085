//! The package `@silcrow/parser` of npm: the module in WebAssembly, its glue and its types.

use std::path::PathBuf;

use super::{assemble, test_in_node};
use crate::{disk, process};

/// Builds and tests the package.
pub(super) fn check() -> Result<(), String> {
    test_in_node(&build()?, &TESTS)
}

/// Builds the package, and returns its folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let source = crate::root().join("crates/wasm/package");
    let folder = assemble("parser", &source, &FILES)?;
    for (module, features) in
        [("silcrow.wasm", "--no-default-features"), ("full.wasm", "--all-features")]
    {
        disk::copy(&build_module(features)?, &folder.join(module))?;
    }
    Ok(folder)
}

/// Builds a module with these features, and returns its path, which the next one has, too.
fn build_module(features: &str) -> Result<PathBuf, String> {
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--locked", "--package", "silcrow-wasm", "--target", TARGET]);
    cargo.args([features, "--profile", "dist", "--config", "profile.dist.panic=\"abort\""]);
    // The names of functions are a twelfth of the module, and the profile leaves them in.
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Clink-arg=--strip-all");
    // A page loads it before anything else, so the size counts for what reads no piece of a text.
    cargo.args(["--config", "profile.release.opt-level=\"z\""]);
    for (packages, level) in [(&FAST[..], "3"), (&SMALL, "\"z\"")] {
        for package in packages {
            let option = format!("profile.release.package.{package}.opt-level={level}");
            cargo.args(["--config", &option]);
        }
    }
    process::succeed(&mut cargo, "the module does not build")?;
    Ok(crate::target().join(TARGET).join("dist/silcrow_wasm.wasm"))
}

/// The files of the package that are there.
const FILES: [&str; 5] = ["core.js", "silcrow.js", "silcrow.d.ts", "full.js", "full.d.ts"];

/// The target that the module is built for.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

const TESTS: [&str; 3] = [
    "crates/wasm/tests/parser.test.mjs",
    "crates/wasm/tests/size.test.mjs",
    "crates/wasm/tests/page.test.mjs",
];

/// The crates that read every piece of a text.
const FAST: [&str; 7] = [
    "memchr",
    "silcrow-accumulate",
    "silcrow-lex",
    "silcrow-native",
    "silcrow-parser",
    "silcrow-reading",
    "silcrow-wasm",
];

/// The crates that the profile of the command optimizes for speed, and this one for size.
const SMALL: [&str; 6] =
    ["itoa", "serde_json", "silcrow-event", "silcrow-front", "silcrow-sanitize", "zmij"];
