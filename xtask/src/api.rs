//! `cargo xtask api`, which compares the public API of each published crate with a committed
//! listing.
//!
//! rustdoc writes an API as JSON, and the crate `public-api` turns that into lines. The JSON is
//! unstable, so the toolchain and the version of `public-api` are pinned. This program calls
//! rustdoc in cargo's place and allows it unstable options. Cargo and rustc do not get that
//! permission, because it would make them build every dependency again.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use public_api::Builder;
use xtask::{disk, process};

use crate::tidy;

/// Compares the APIs with the listings.
pub(crate) fn check() -> Result<(), String> {
    let mut changed = Vec::new();
    for CrateListing { name, file, found } in listings()? {
        if let Some(difference) = difference(&fs::read_to_string(&file).unwrap_or_default(), &found)
        {
            println!("{name}\n{difference}");
            changed.push(name);
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the public API changed: {}; if that is meant, `cargo xtask api --bless` renews {FOLDER}",
        changed.join(", ")
    ))
}

/// Writes the listings.
pub(crate) fn bless() -> Result<(), String> {
    listings()?.iter().try_for_each(|listing| disk::write(&listing.file, &listing.found))
}

/// The public API of a crate.
struct CrateListing {
    name: String,
    /// The file of the committed listing.
    file: PathBuf,
    found: String,
}

/// Lists the APIs of all crates that are published.
fn listings() -> Result<Vec<CrateListing>, String> {
    let json = rustdoc_json()?;
    let mut packages = tidy::packages()?;
    packages.retain(|package| package.is_published && package.has_library);
    let listings = packages.into_iter().map(|package| {
        let found = listing(&json.join(package.library_name()).with_extension("json"))?;
        let file = xtask::root().join(FOLDER).join(&package.name).with_extension("txt");
        Ok(CrateListing { name: package.name, file, found })
    });
    listings.collect()
}

/// Takes the place of rustdoc, if cargo has called this program for it.
pub(crate) fn as_rustdoc() -> Option<ExitCode> {
    let rustdoc = env::var_os(RUSTDOC)?;
    let args = env::args_os().skip(1);
    let status = Command::new(rustdoc).args(args).env("RUSTC_BOOTSTRAP", "1").status();
    Some(if status.is_ok_and(|status| status.success()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Makes rustdoc write the JSON of all libraries, and returns the folder with it. It gives the same
/// warnings as for pages, so pages are not built to be checked.
///
/// # Errors
///
/// Returns an error for any warning.
pub(crate) fn rustdoc_json() -> Result<PathBuf, String> {
    let target = xtask::root().join("target");
    let all = ["--workspace", "--lib", "--all-features"];
    rustdoc(&all, &target.join("api"))?;
    // The command and a library have the same name.
    let programs = ["-psilcrow-cli", "-pxtask", "-pdist", "--bins", "--all-features"];
    rustdoc(&programs, &target.join("api-programs"))?;
    Ok(target.join("api/doc"))
}

fn rustdoc(packages: &[&str], folder: &Path) -> Result<(), String> {
    let own = process::own_program()?;
    let rustdoc = env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let mut cargo = xtask::cargo();
    cargo.args(["doc", "--quiet", "--locked", "--no-deps"]).args(packages);
    cargo.env("RUSTDOCFLAGS", "-D warnings -Z unstable-options --output-format json");
    cargo.env(RUSTDOC, rustdoc).env("RUSTDOC", own);
    // The pages of `cargo doc` are not replaced, and their build artifacts are reused.
    cargo.env("CARGO_BUILD_BUILD_DIR", xtask::root().join("target"));
    process::succeed(cargo.env("CARGO_TARGET_DIR", folder), "mend what rustdoc names above")
}

/// Returns a line for each public item of a crate.
///
/// Implementations of blankets and auto traits are left out, because they follow from the rest.
fn listing(json: &Path) -> Result<String, String> {
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .sorted(true)
        .build()
        .map_err(|why| format!("cannot list the API of {}: {why}", json.display()))?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}

/// Returns the lines that only one of two listings has, or `None` if they are the same.
fn difference(committed: &str, found: &str) -> Option<String> {
    let lines = |text| str::lines(text).collect::<BTreeSet<_>>();
    let (old, new) = (lines(committed), lines(found));
    let removed = old.difference(&new).map(|line| format!("- {line}\n"));
    let added = new.difference(&old).map(|line| format!("+ {line}\n"));
    let all: String = removed.chain(added).collect();
    (!all.is_empty()).then_some(all)
}

/// The variable with the path of the real rustdoc, when this program is called in its place.
const RUSTDOC: &str = "SILCROW_XTASK_RUSTDOC";

/// The folder with the committed listings, one for each crate.
const FOLDER: &str = "xtask/api";

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn changed_item_shows_before_and_after() {
        let old = "pub fn a()\npub fn b()\n";
        assert_eq!(difference(old, old), None);
        assert_eq!(
            difference(old, "pub fn a(u8)\npub fn b()\n").unwrap(),
            "- pub fn a()\n+ pub fn a(u8)\n"
        );
        assert_eq!(difference("", "pub fn a()\n").unwrap(), "+ pub fn a()\n");
    }
}
