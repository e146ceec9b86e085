//! `cargo xtask bindings`, which builds the packages for JavaScript and Python, and tests them as people
//! use them.
//!
//! A package is built into a folder of `target/bindings`. What needs a program that is missing is left
//! out, which is an error where everything has to be checked. What is built for a target whose standard
//! library is not installed is left out everywhere.

mod client;
mod python;
mod wasm;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::ci::Tally;
use crate::targets;

pub(crate) use python::{MODULE, built_module, package_files};

/// Builds and tests the named packages, or all.
pub(crate) fn run(names: &[&str], tally: &mut Tally) -> Result<(), String> {
    if let Some(unknown) = names.iter().find(|name| PACKAGES.iter().all(|one| one.name != **name)) {
        let all: Vec<_> = PACKAGES.iter().map(|package| package.name).collect();
        return Err(format!("there is no package `{unknown}`; there are {}", all.join(", ")));
    }
    for package in PACKAGES.iter().filter(|one| names.is_empty() || names.contains(&one.name)) {
        let start = Instant::now();
        if let Some(target) = package.target.filter(|target| !targets::is_installed(target)) {
            let name = package.name;
            println!(
                "left out: {name}, for which `rustup target add {target}` installs the target"
            );
            tally.leave_out(format!("the package `{name}`, whose target is not installed"));
            continue;
        }
        match (package.missing)() {
            Some(missing) if std::env::var_os("CI").is_some() => {
                return Err(format!("{}: {missing}", package.name));
            }
            Some(missing) => println!("left out: {}: {missing}", package.name),
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
    /// Returns what is missing to build it, and what installs that.
    missing: fn() -> Option<String>,
    /// Builds and tests it.
    check: fn() -> Result<(), String>,
}

const PACKAGES: [BindingPackage; 3] = [
    BindingPackage {
        name: "wasm",
        target: Some(wasm::TARGET),
        missing: wasm::missing,
        check: wasm::check,
    },
    BindingPackage { name: "client", target: None, missing: client::missing, check: client::check },
    BindingPackage { name: "python", target: None, missing: python::missing, check: python::check },
];

/// Returns the folder of a package, which is empty.
fn empty_folder(name: &str) -> Result<PathBuf, String> {
    let folder = crate::faces::target().join("bindings").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    Ok(folder)
}

/// Puts a package of npm together in a folder: files of its source, what its manifest says, and the README
/// and the licences that all of them have.
fn assemble(name: &str, source: &Path, files: &[&str]) -> Result<PathBuf, String> {
    let folder = empty_folder(name)?;
    for file in files {
        copy(&source.join(file), &folder.join(file))?;
    }
    copy(&crate::root().join("clients/js/README.md"), &folder.join("README.md"))?;
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&crate::root().join(license), &folder.join(license))?;
    }
    let about = fs::read_to_string(source.join("package.json"))
        .map_err(|why| format!("{}: {why}", source.display()))?;
    let about = about.replace("\"0.0.0\"", &format!("\"{}\"", version()?));
    fs::write(folder.join("package.json"), about)
        .map_err(|why| format!("{}: {why}", folder.display()))?;
    Ok(folder)
}

/// Builds the packages for JavaScript, and returns their names and folders. Without the target of
/// WebAssembly there is only the client.
pub(crate) fn npm_packages() -> Result<Vec<(&'static str, PathBuf)>, String> {
    let mut packages = vec![("client", client::build()?)];
    if targets::is_installed(wasm::TARGET) {
        packages.push(("parser", wasm::build()?));
    } else {
        println!("left out: the package `parser`, whose target {} is not installed", wasm::TARGET);
    }
    Ok(packages)
}

/// Copies a file.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|why| format!("{}: {why}", from.display()))
}

/// Runs a program that says itself what is wrong.
fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what} ({status}); see above")),
        Err(why) => Err(format!("{command:?} does not start: {why}")),
    }
}

/// Returns the version of the workspace.
fn version() -> Result<String, String> {
    let manifest = crate::root().join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|why| format!("{manifest:?}: {why}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    let version = line.and_then(|rest| rest.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| "the workspace has no version".to_owned())
}
