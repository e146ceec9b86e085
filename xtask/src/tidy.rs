//! `cargo xtask tidy`: what no compiler checks.
//!
//! The crate table of `docs/architecture.md` is held against the manifests in both directions, and
//! every source file against the house rules.

mod arrows;
mod package;
mod source;
mod table;
mod unique;
mod words;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use package::Package;
use source::Source;
use table::{Group, Table};
use unique::PublicTypes;
use words::Place;

/// Prints what is not tidy.
pub(crate) fn run() -> Result<(), String> {
    let findings = find(&crate::root())?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err("1 thing is not tidy; it is named above".to_owned()),
        more => Err(format!("{more} things are not tidy; they are named above")),
    }
}

/// Returns all crates of the workspace, ordered by name.
pub(crate) fn packages() -> Result<Vec<Package>, String> {
    let mut packages = Package::read_all(&package::metadata()?)?;
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

/// Something that is not as it should be: where it is, and what to do.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// From the root of the workspace.
    file: String,
    /// From 1.
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Everything in the workspace at `root` that is not tidy, by file and line.
fn find(root: &Path) -> Result<Vec<Finding>, String> {
    let text = read(&root.join(table::FILE))?;
    let mut findings = Vec::new();
    let table = Table::parse(&text, &mut findings);
    let mut packages = Package::read_all(&package::metadata()?)?;
    packages.retain(|package| package.name != env!("CARGO_PKG_NAME"));

    for package in &mut packages {
        package.manifest = read(&root.join(&package.manifest_path))?;
    }
    let mut types = PublicTypes::default();
    for file in sources(root)? {
        let source = Source::new(read(&root.join(&file))?);
        let package = packages.iter_mut().find(|package| package.holds(&file));
        let row = package.as_ref().and_then(|package| table.row(&package.name));
        let place = Place {
            package: package.as_ref().map(|package| &*package.name),
            group: row.map_or(Group::Edge, |row| row.group),
            library: package.is_some() && is_library(&file),
        };
        words::check(&file, &source, &place, &mut findings);
        if let Some(package) = package.filter(|_| is_library(&file)) {
            types.push(&file, &source, &mut findings);
            package.code.push_str(&source.code());
        }
    }
    arrows::check(&table, &packages, &mut findings);
    findings.sort();
    Ok(findings)
}

/// The Rust files of the workspace, from its root. The rules' own words are in this folder.
fn sources(root: &Path) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask/src", "fuzz/fuzz_targets"] {
        walk(&root.join(folder), &mut files)?;
    }
    let relative = |file: PathBuf| {
        let file = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        (!file.starts_with("xtask/src/tidy")).then_some(file)
    };
    Ok(files.into_iter().filter_map(relative).collect())
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if !folder.exists() {
        return Ok(());
    }
    let failed = |why| format!("cannot list `{}`: {why}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            // What a workspace of its own builds lies beside its sources.
            if !path.ends_with("target") {
                walk(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

/// Whether a file of a crate is built into it, and is no test.
fn is_library(file: &str) -> bool {
    let mut parts = file.split('/').skip(2);
    parts.next() == Some("src") && parts.all(|part| part != "tests" && part != "tests.rs")
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|why| format!("cannot read `{}`: {why}", file.display()))
}

#[cfg(test)]
mod tests;
