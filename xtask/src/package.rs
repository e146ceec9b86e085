//! `cargo xtask package`, which checks that each crate can be published.
//!
//! A published crate describes itself in its manifest and in a README, and cargo can pack it. The
//! READMEs are made from the documentation of the libraries, whose examples are tests.

mod manifest_lines;
mod readme;

use std::path::PathBuf;

use serde_json::Value;
use xtask::{disk, process};

use crate::tidy::{self, Package};

/// Writes the READMEs, and checks the crates.
pub(crate) fn bless() -> Result<(), String> {
    for package in tidy::packages()?.iter().filter(|one| one.is_published && one.has_library) {
        disk::write(&readme_file(package), readme::readme(&package.name, &docs(package)?))?;
    }
    check()
}

/// Checks the crates.
pub(crate) fn check() -> Result<(), String> {
    let packages = tidy::packages()?;
    let metadata = tidy::metadata(&xtask::root())?;
    let mut faults = Vec::new();
    for package in packages.iter().filter(|package| package.is_published) {
        let fields = metadata["packages"].as_array().into_iter().flatten();
        if let Some(fields) = fields.into_iter().find(|fields| fields["name"] == *package.name) {
            faults.extend(missing_fields(package, fields));
        }
        faults.extend(missing_licenses(package));
        if package.has_library {
            faults.extend(check_readme(package)?);
        }
    }
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    pack(&packages)
}

/// Returns the missing fields that crates.io shows of a crate or uses in its search.
fn missing_fields(package: &Package, fields: &Value) -> Vec<String> {
    let is_missing = |field: &str| match &fields[field] {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        _ => false,
    };
    let all = ["description", "keywords", "categories", "license", "repository", "readme"];
    let fault = |field| format!("{}: `{field}` is missing", package.manifest_path);
    all.into_iter().filter(|field| is_missing(field)).map(fault).collect()
}

/// Returns the missing license files. Both licenses require their text in every copy.
fn missing_licenses(package: &Package) -> Vec<String> {
    let files = ["LICENSE-MIT", "LICENSE-APACHE"].map(|file| package.folder().join(file));
    let missing = files.into_iter().filter(|file| !file.is_file());
    missing
        .map(|file| {
            format!("{}: is missing; make it a link to the file at the top", file.display())
        })
        .collect()
}

fn check_readme(package: &Package) -> Result<Option<String>, String> {
    let docs = docs(package)?;
    let manifest = disk::read_text(&xtask::root().join("Cargo.toml"))?;
    if let Some(fault) = manifest_lines::check(&package.name, &docs, &manifest) {
        return Ok(Some(format!("{}: {fault}", package.folder().join("src/lib.rs").display())));
    }
    let file = readme_file(package);
    let is_current =
        disk::read_text(&file).is_ok_and(|text| text == readme::readme(&package.name, &docs));
    Ok((!is_current).then(|| {
        let file = file.display();
        format!(
            "{file}: differs from the docs of the crate; `cargo xtask package --bless` renews it"
        )
    }))
}

/// Returns the documentation at the top of a library.
fn docs(package: &Package) -> Result<String, String> {
    Ok(readme::docs(&disk::read_text(&package.folder().join("src/lib.rs"))?))
}

fn readme_file(package: &Package) -> PathBuf {
    package.folder().join("README.md")
}

/// Packs all crates that are published, without building what was packed.
fn pack(packages: &[Package]) -> Result<(), String> {
    let mut cargo = xtask::cargo();
    cargo.args(["package", "--quiet", "--workspace", "--no-verify", "--allow-dirty", "--locked"]);
    // Without it cargo resolves the dependencies of each crate anew, which takes most of the time.
    cargo.arg("--exclude-lockfile");
    let private = packages.iter().filter(|package| !package.is_published);
    cargo.args(private.flat_map(|package| ["--exclude", &package.name]));
    process::succeed(&mut cargo, "cargo cannot pack the crates; it says why above")
}
