//! The rules on small workspaces, each of which `cases.txt` describes with its findings.

use std::collections::BTreeMap;
use std::path::Path;

use xtask::disk;

use super::find;

#[test]
fn each_case_has_its_findings() {
    let place = std::env::temp_dir().join(format!("silcrow-tidy-{}", std::process::id()));
    let mut faults = Vec::new();
    for case in CASES.split("\n=== ").skip(1) {
        let mut files = BTreeMap::new();
        let (case, expected) = case.split_once("\n=>").unwrap_or((case, ""));
        let expected: Vec<_> = expected.split("\n=>").map(str::trim).collect();
        let expected = if expected == [""] { Vec::new() } else { expected };
        let mut sections = case.split("\n--- ");
        let name = sections.next().unwrap_or_default();
        let sections: Vec<_> =
            sections.map(|text| text.split_once('\n').unwrap_or((text, ""))).collect();
        for (at, (file, text)) in sections.iter().enumerate() {
            files.insert(*file, *text);
            // A file that is there again is another variant of the case.
            if sections.get(at + 1).is_some_and(|(next, _)| next == file) {
                faults.extend(check(&place, &files, &expected).err().map(|why| (name, why)));
            }
        }
        faults.extend(check(&place, &files, &expected).err().map(|why| (name, why)));
    }
    std::fs::remove_dir_all(place).unwrap();
    let said: Vec<_> = faults.iter().map(|(name, why)| format!("{name}:\n{why}")).collect();
    assert!(said.is_empty(), "{}", said.join("\n\n"));
}

/// Writes a workspace and compares the findings in it: each finding contains its expected text.
fn check(place: &Path, files: &BTreeMap<&str, &str>, expected: &[&str]) -> Result<(), String> {
    let place = disk::make_empty(place.to_owned())?;
    disk::write(&place.join("Cargo.toml"), "[workspace]\nmembers = [\"crates/*\"]\n")?;
    disk::write(&place.join("docs/architecture.md"), rows(ROW))?;
    write_crate(&place, "x", "")?;
    for (file, text) in files {
        match file.split_once(' ') {
            None if *file == "rows" => {
                disk::write(&place.join("docs/architecture.md"), rows(text))?
            }
            None => disk::write(&place.join(file), format!("{text}\n"))?,
            Some((_, name)) => write_crate(&place, name, text)?,
        }
    }
    let found: Vec<_> = find(&place)?.iter().map(ToString::to_string).collect();
    let is_same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| found.contains(expected));
    if is_same { Ok(()) } else { Err(format!("{files:#?}\nfound:\n{}", found.join("\n"))) }
}

/// Returns a page with the crate table, in which the rows begin in line 4.
fn rows(rows: &str) -> String {
    let line = |line: &str| match line.starts_with("###") {
        true => format!("{line}\n{HEAD}"),
        false => format!("{line}\n"),
    };
    format!("### Pure crates\n{HEAD}{}", rows.lines().map(line).collect::<String>())
}

/// Writes a crate with its dependencies, which begin in line 10 of its manifest, and code that uses them.
fn write_crate(place: &Path, name: &str, needs: &str) -> Result<(), String> {
    let folder = place.join("crates").join(name);
    disk::write(&folder.join("Cargo.toml"), MANIFEST.replace("NAME", name) + needs + "\n")?;
    let names = needs.lines().filter_map(|line| line.split_once(" = "));
    let uses = names.map(|(name, _)| format!("use {} as _;\n", name.replace('-', "_")));
    disk::write(&folder.join("src/lib.rs"), uses.collect::<String>())
}

const CASES: &str = include_str!("tests/cases.txt");

const HEAD: &str = "| crate | one line | may depend on | external |\n|---|---|---|---|\n";

const ROW: &str = "| `silcrow-x` | words | – | – |";

const MANIFEST: &str = "[package]\nname = \"silcrow-NAME\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                        [lib]\ntest = false\n\n[dependencies]\n";
