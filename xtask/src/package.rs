//! `cargo xtask package`, which checks that each crate can be published.
//!
//! A published crate describes itself in its manifest and in a README, and cargo can pack it. The
//! READMEs are made from the documentation of the libraries, whose examples are tests.

mod manifest_lines;
mod readme;

use serde_json::Value;

use crate::tidy::{self, Package};
use crate::{disk, process};

/// Checks the crates; with `bless`, writes their READMEs first.
pub(crate) fn run(bless: bool) -> Result<(), String> {
    let packages = tidy::packages()?;
    let metadata = tidy::metadata()?;
    let mut faults = Vec::new();
    for package in packages.iter().filter(|package| package.publish) {
        let fields = metadata["packages"].as_array().into_iter().flatten();
        if let Some(fields) = fields.into_iter().find(|fields| fields["name"] == *package.name) {
            faults.extend(missing_fields(package, fields));
        }
        faults.extend(missing_licenses(package));
        if package.library {
            faults.extend(check_readme(package, bless)?);
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
    let folder = package.manifest_path.trim_end_matches("Cargo.toml");
    let files = ["LICENSE-MIT", "LICENSE-APACHE"].map(|file| format!("{folder}{file}"));
    let missing = files.into_iter().filter(|file| !crate::root().join(file).is_file());
    missing
        .map(|file| format!("{file}: is missing; make it a link to the file at the top"))
        .collect()
}

fn check_readme(package: &Package, bless: bool) -> Result<Option<String>, String> {
    let folder = package.manifest_path.trim_end_matches("Cargo.toml");
    let (source, file) = (format!("{folder}src/lib.rs"), format!("{folder}README.md"));
    let read = |file: &str| disk::read_text(&crate::root().join(file));
    let docs = readme::docs(&read(&source)?);
    if let Some(fault) = manifest_lines::check(&package.name, &docs, &read("Cargo.toml")?) {
        return Ok(Some(format!("{source}: {fault}")));
    }
    let readme = readme::readme(&package.name, &docs);
    if bless {
        return disk::write(&crate::root().join(&file), readme).map(|()| None);
    }
    let is_current = read(&file).is_ok_and(|text| text == readme);
    Ok((!is_current).then(|| {
        format!(
            "{file}: differs from the docs of the crate; `cargo xtask package --bless` renews it"
        )
    }))
}

/// Packs all crates that are published, without building what was packed.
fn pack(packages: &[Package]) -> Result<(), String> {
    let mut cargo = crate::cargo();
    cargo.args(["package", "--quiet", "--workspace", "--no-verify", "--allow-dirty", "--locked"]);
    let private = packages.iter().filter(|package| !package.publish);
    cargo.args(private.flat_map(|package| ["--exclude", &package.name]));
    process::succeed(&mut cargo, "cargo cannot pack the crates; it says why above")
}
