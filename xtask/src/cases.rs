//! `cargo xtask cases`, which converts behaviour cases from outside and formats all files of cases.

use std::path::{Path, PathBuf};

use silcrow_cases::CaseFile;
use xtask::{disk, process};

/// The file of the behaviour cases from outside, from the root of the workspace.
const IMPORTED: &str = "crates/parser/tests/cases/parse.cases";

const ABOUT: &str = "behaviour cases from outside, as `cargo xtask cases import` converts them";

/// Converts the cases of a JSON file, which replace those that were converted before.
pub(crate) fn import(path: &Path) -> Result<(), String> {
    let json = disk::read_text(path)?;
    let mut file = silcrow_cases::import(&json).map_err(|why| disk::at(path, &why))?;
    file.header.push(("about".to_owned(), ABOUT.to_owned()));
    disk::write(&xtask::root().join(IMPORTED), file.to_string())?;
    println!("{} cases of {} are in {IMPORTED}", file.cases.len(), path.display());
    Ok(())
}

/// Formats every file of cases.
pub(crate) fn format() -> Result<(), String> {
    for path in files()? {
        disk::write(&path, CaseFile::open(&path).map_err(|why| why.to_string())?.to_string())?;
    }
    Ok(())
}

/// Writes the parser's results for our own cases into their files, and shows each difference.
pub(crate) fn bless() -> Result<(), String> {
    let mut cargo = xtask::cargo();
    // Only the test has the parser.
    cargo.args(["test", "--quiet", "--locked", "--package", "silcrow-parser", "--test", "it"]);
    cargo.args(["--", "--ignored", "--exact", "bless::write_what_is_read", "--nocapture"]);
    let said = process::output(&mut cargo)?;
    let differences = said.split("\n@ ").skip(1);
    let shown = differences.map(|text| println!("{}", text.split("\n\n").next().unwrap_or(text)));
    match shown.count() {
        0 => println!("every case is as the parser reads it"),
        count => println!("{count} cases were changed; check each before you keep it"),
    }
    Ok(())
}

/// Returns all files of cases of the workspace.
fn files() -> Result<Vec<PathBuf>, String> {
    let crates = disk::entries(&xtask::root().join("crates"))?;
    let found = crates.iter().map(|path| disk::walk(&path.join("tests/cases"), "cases"));
    Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Checks that all files are formatted, so that a changed case changes no other line.
    #[test]
    fn every_file_is_as_the_writer_writes_it() {
        let files = files().unwrap();
        assert!(files.len() > 12, "{} files are too few", files.len());
        for path in files {
            let written = CaseFile::open(&path).unwrap_or_else(|why| panic!("{why}")).to_string();
            let text = fs::read_to_string(&path).unwrap();
            let line = written.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
            let path = path.display();
            assert!(written == text, "{path}:{line}: run `cargo xtask cases format`");
        }
    }
}
