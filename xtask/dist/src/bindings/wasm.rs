//! The package `@silcrow/parser` of npm: the module in WebAssembly, its glue and its types.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{disk, installed, process};

use super::{assemble, test_in_node};

/// Builds and tests the package.
pub(super) fn check() -> Result<(), String> {
    let package = build()?;
    test_in_node(&package, &TESTS)?;
    match optimizer() {
        // The bars apply to the published package.
        Ok(_) => test_in_node(&package, &[SIZES]),
        Err(_) => Ok(()),
    }
}

/// Builds the package, and returns its folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let source = xtask::root().join("crates/wasm/package");
    let folder = assemble("parser", &source, &FILES)?;
    for (module, features) in
        [("silcrow.wasm", "--no-default-features"), ("full.wasm", "--all-features")]
    {
        disk::copy(&build_module(features)?, &folder.join(module))?;
    }
    match optimizer() {
        Ok(optimizer) => ["silcrow.wasm", "full.wasm"]
            .into_iter()
            .try_for_each(|module| optimize(&optimizer, &folder.join(module)))?,
        Err(why) => process::leave_out("the optimizer of WebAssembly", &why)?,
    }
    Ok(folder)
}

/// Returns the optimizer, which removes a seventh of the module that LLVM leaves.
fn optimizer() -> Result<PathBuf, String> {
    let installed = installed::install_node(&xtask::root().join("crates/wasm/optimizer"))?;
    Ok(installed.join("node_modules/binaryen/bin/wasm-opt"))
}

/// Makes a module smaller, in its place.
fn optimize(optimizer: &Path, module: &Path) -> Result<(), String> {
    let mut node = Command::new("node");
    node.arg(optimizer).args([
        "-Oz",
        "--strip-debug",
        "--strip-producers",
        "--strip-target-features",
    ]);
    // The features of Rust's target, whose names are in the section that is stripped.
    node.args(FEATURES).arg(module).arg("-o").arg(module);
    process::succeed(&mut node, "the module cannot be optimized")
}

/// Builds a module with these features, and returns its path, which the next one has, too.
fn build_module(features: &str) -> Result<PathBuf, String> {
    let mut cargo = xtask::cargo();
    cargo.args(["build", "--quiet", "--locked", "--package", "silcrow-wasm", "--target", TARGET]);
    cargo.args([features, "--profile", "dist", "--config", "profile.dist.panic=\"abort\""]);
    // The names of functions are a twelfth of the module, and the profile leaves them in.
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Clink-arg=--strip-all");
    // A page loads it before anything else, so the size counts for code that reads no text.
    cargo.args(["--config", "profile.release.opt-level=\"z\""]);
    for (packages, level) in [(&FAST[..], "3"), (&SMALL, "\"z\"")] {
        for package in packages {
            let option = format!("profile.release.package.{package}.opt-level={level}");
            cargo.args(["--config", &option]);
        }
    }
    process::succeed(&mut cargo, "the module does not build")?;
    Ok(xtask::target().join(TARGET).join("dist/silcrow_wasm.wasm"))
}

/// The files of the package that are there.
const FILES: [&str; 5] = ["core.js", "silcrow.js", "silcrow.d.ts", "full.js", "full.d.ts"];

/// The target that the module is built for.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

const TESTS: [&str; 2] = ["crates/wasm/tests/parser.test.mjs", "crates/wasm/tests/page.test.mjs"];

/// The test of the sizes.
const SIZES: &str = "crates/wasm/tests/size.test.mjs";

/// The features of WebAssembly that the target has.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
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
