//! `cargo xtask tidy`, which checks the rules that no compiler checks.
//!
//! It compares the crate table of `docs/architecture.md` with the manifests in both directions, and
//! looks for circles of modules, types that share a name, and links that lead nowhere.

mod arrows;
mod circles;
mod definitions;
mod harness;
mod links;
mod modules;
mod package;
mod seam;
mod source;
mod table;
mod unique;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use links::Pages;
use modules::Modules;
pub(crate) use package::{Package, metadata};
use seam::ArgumentSeam;
use source::SourceFile;
use table::CrateTable;
use unique::TypeNames;
use xtask::disk;

/// Prints all findings, and hints at long files.
pub(crate) fn run() -> Result<(), String> {
    let root = xtask::root();
    for file in sources(&root)? {
        let lines = disk::read_text(&root.join(&file))?.lines().count();
        if lines > LONG {
            println!(
                "hint: {file} has {lines} lines; above {LONG} it usually has more than one idea"
            );
        }
    }
    let findings = find(&root)?;
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
    let mut packages = Package::read_all(&metadata(&xtask::root())?)?;
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

/// A violation of a rule, with its place and the next step.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The path from the root of the workspace.
    file: String,
    /// The line, from 1.
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Checks the workspace at `root`, and returns the findings ordered by file and line.
fn find(root: &Path) -> Result<Vec<Finding>, String> {
    let text = disk::read_text(&root.join(table::FILE))?;
    let mut findings = Vec::new();
    let table = CrateTable::parse(&text, &mut findings);
    let mut packages = Package::read_all(&metadata(root)?)?;
    packages.retain(|package| package.manifest_path.starts_with("crates/"));
    for package in &mut packages {
        package.manifest = disk::read_text(&root.join(&package.manifest_path))?;
    }
    let pages = pages(root)?;
    pages.check(root, &mut findings);
    let mut types = TypeNames::default();
    let mut seam = ArgumentSeam::default();
    let mut crates: BTreeMap<String, Modules> = BTreeMap::new();
    for file in sources(root)? {
        let text = disk::read_text(&root.join(&file))?;
        pages.check_comments(&file, &text, &mut findings);
        let package = packages.iter_mut().find(|package| package.holds(&file));
        let Some(package) = package.filter(|_| is_library(&file)) else { continue };
        package.has_tests |= harness::has_tests(&text);
        let source = SourceFile::parse(&text).map_err(|why| format!("{file}: {why}"))?;
        // The other body of a module, for a build without a feature, has the same names.
        let is_other_body = file.rsplit('/').next().is_some_and(|name| name.starts_with("absent"));
        if !is_other_body {
            types.push(&file, &source, &mut findings);
        }
        seam.push(&file, &source);
        package.idents.extend(source.tokens.iter().map(|token| token.text.clone()));
        crates.entry(package.name.clone()).or_default().push(&file, source);
    }
    for package in packages.iter().filter(|package| package.has_library) {
        harness::check(package, package.has_tests, &mut findings);
    }
    arrows::check(&table, &packages, &mut findings);
    seam.check(&mut findings);
    let folders = crates.values().flat_map(Modules::folders).collect();
    let known = disk::read_text(&root.join(circles::FILE)).unwrap_or_default();
    circles::check(&folders, &known, &mut findings);
    findings.sort();
    Ok(findings)
}

/// Returns the Markdown pages that people read.
fn pages(root: &Path) -> Result<Pages, String> {
    let mut pages = Pages::default();
    let mut files = disk::walk(&root.join("docs"), "md")?;
    files.extend(disk::walk(&root.join("crates"), "md")?);
    files.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|file| root.join(file)));
    for file in files.into_iter().filter(|file| file.exists()) {
        let name = from_root(root, &file);
        // Other pages of a crate are data, such as texts for models.
        if !name.starts_with("crates/") || name.ends_with("/README.md") {
            pages.push(name, disk::read_text(&file)?);
        }
    }
    Ok(pages)
}

/// Returns the paths of the Rust files of the workspace, from its root.
fn sources(root: &Path) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask/src", "xtask/lab/src", "fuzz/fuzz_targets"] {
        files.extend(disk::walk(&root.join(folder), "rs")?);
    }
    Ok(files.iter().map(|file| from_root(root, file)).collect())
}

fn from_root(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/")
}

/// Returns whether a file is built into a crate and is not a test.
fn is_library(file: &str) -> bool {
    let mut parts = file.split('/').skip(2);
    parts.next() == Some("src") && parts.all(|part| part != "tests" && part != "tests.rs")
}

/// The most lines of a file that a reader keeps in mind, tests included.
const LONG: usize = 350;

#[cfg(test)]
mod tests;
