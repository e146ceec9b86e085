//! `cargo dist bindings`, which builds the packages for JavaScript and Python, and tests them as people
//! use them.
//!
//! A package is built into a folder of `target/bindings`. A package that needs a missing program is
//! left out, which is an error if everything has to be checked. A package for a target whose
//! standard library is not installed is always left out.

mod client;
mod python;
mod wasm;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use xtask::{disk, process};

pub(crate) use python::{MODULE, built_module, package_files};

/// Builds and tests the named packages, or all.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| PACKAGES.iter().all(|one| one.name != **name)) {
        let all: Vec<_> = PACKAGES.iter().map(|package| package.name).collect();
        return Err(format!("there is no package `{unknown}`; there are {}", all.join(", ")));
    }
    for package in PACKAGES.iter().filter(|one| names.is_empty() || names.contains(&one.name)) {
        let start = Instant::now();
        if let Some(target) = package.target.filter(|target| !xtask::has_target(target)) {
            let name = package.name;
            println!(
                "left out: {name}, for which `rustup target add {target}` installs the target"
            );
            continue;
        }
        match (package.missing)() {
            Some(missing) => process::leave_out(package.name, &missing)?,
            None => (package.check)()?,
        }
        println!("{:<24} {:>6.1} s", package.name, start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// A package for another language.
struct BindingPackage {
    name: &'static str,
    /// The target that it is built for, if it is not this machine.
    target: Option<&'static str>,
    /// Returns the missing requirement of its build, and the command that installs it.
    missing: fn() -> Option<String>,
    /// Builds and tests it.
    check: fn() -> Result<(), String>,
}

const PACKAGES: [BindingPackage; 3] = [
    BindingPackage {
        name: "wasm",
        target: Some(wasm::TARGET),
        missing: missing_node,
        check: wasm::check,
    },
    BindingPackage { name: "client", target: None, missing: missing_node, check: client::check },
    BindingPackage { name: "python", target: None, missing: python::missing, check: python::check },
];

/// Returns the folder of a package, which is empty.
fn empty_folder(name: &str) -> Result<PathBuf, String> {
    disk::make_empty(xtask::target().join("bindings").join(name))
}

/// Returns the missing requirement for tests in node.
fn missing_node() -> Option<String> {
    (!process::exists("node")).then(|| "node runs the tests, and is missing".to_owned())
}

/// Runs tests of a package in node.
fn test_in_node(package: &Path, tests: &[&str]) -> Result<(), String> {
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter", "spec"]).args(tests).current_dir(xtask::root());
    node.env("SILCROW_PACKAGE", format!("file://{}/", package.display()));
    node.env("SILCROW_PROGRAM", xtask::target().join("debug/silcrow"));
    process::succeed(&mut node, "the package for JavaScript fails; see above")
}

/// Puts a package of npm together in a folder: files of its source and of its manifest, and the
/// README and the licences that all of them have.
fn assemble(name: &str, source: &Path, files: &[&str]) -> Result<PathBuf, String> {
    let folder = empty_folder(name)?;
    for file in files {
        disk::copy(&source.join(file), &folder.join(file))?;
    }
    disk::copy(&xtask::root().join("clients/js/README.md"), &folder.join("README.md"))?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        disk::copy(&xtask::root().join(license), &folder.join(license))?;
    }
    let about = disk::read_text(&source.join("package.json"))?;
    let about = about.replace("\"0.0.0\"", concat!("\"", env!("CARGO_PKG_VERSION"), "\""));
    disk::write(&folder.join("package.json"), about)?;
    Ok(folder)
}

/// Builds the packages for JavaScript, and returns their names and folders. Without the target of
/// WebAssembly there is only the client.
pub(crate) fn npm_packages() -> Result<Vec<(&'static str, PathBuf)>, String> {
    let mut packages = vec![("client", client::build()?)];
    if xtask::has_target(wasm::TARGET) {
        packages.push(("parser", wasm::build()?));
    } else {
        println!("left out: the package `parser`, whose target {} is not installed", wasm::TARGET);
    }
    Ok(packages)
}
