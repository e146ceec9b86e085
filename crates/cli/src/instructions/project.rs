//! The instructions of a project, which may come from anybody, and whether the person trusts them.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use silcrow_console::quantity::size;
use silcrow_console::typed::says_yes;
use silcrow_settings::{TrustRecord, TrustStatus, hash};

use super::FILE;
use super::file::FoundFile;
use crate::failure::Failure;

/// Returns the files in the folders of a project, the nearest first, and why one cannot be read.
pub(super) fn files(
    folders: &[PathBuf],
) -> impl Iterator<Item = (PathBuf, Result<FoundFile, String>)> {
    let project = folders.last();
    folders.iter().zip(0..).filter_map(move |(folder, above)| {
        let path = folder.join(FILE);
        let origin = format!("{}{FILE}", "../".repeat(above));
        let found = FoundFile::of_project(&path, origin, project?)?;
        Some((path, found))
    })
}

/// Returns whether the person trusts the contents of a file. Without a record nothing is trusted.
pub(super) fn standing(file: &FoundFile) -> TrustStatus {
    let record = TrustRecord::find();
    let standing = record.and_then(|record| record.standing(&file.path, &hash_of(file)));
    standing.unwrap_or(TrustStatus::Unknown)
}

/// Asks a person at the terminal about the files of a project that are not trusted yet, and records a
/// yes.
pub(crate) fn ask(folders: &[PathBuf]) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(());
    }
    let files = files(folders).filter_map(|(_, found)| found.ok());
    let is_asked = |file: &FoundFile| standing(file) != TrustStatus::Trusted;
    let files: Vec<_> = files.filter(is_asked).collect();
    if files.is_empty() {
        return Ok(());
    }
    let row = |file: &FoundFile| {
        let changed = match standing(file) {
            TrustStatus::Changed => ", changed since it was trusted",
            _ => "",
        };
        format!("  {} ({}){changed}\n", file.label, size(file.text.len()))
    };
    let question = format!(
        "\nThese instructions of the project are not trusted yet:\n{}\
         The model follows them where they agree with you. Read them before you say yes.\n\
         Trust them?\n\
         y  yes, until they change    else no, and they are left out\n[N] ",
        files.iter().map(row).collect::<String>(),
    );
    let yes = says_yes(&question)
        .map_err(|error| Failure::running(format!("cannot ask about the instructions: {error}")))?;
    if yes {
        files.iter().try_for_each(record)?;
    }
    Ok(())
}

/// Trusts the contents that the files of a project have now, and returns a line for each.
pub(crate) fn trust(folders: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    for (path, found) in files(folders) {
        match found {
            Ok(file) => {
                record(&file)?;
                lines.push(format!("{} is trusted until it changes", path.display()));
            }
            Err(why) => lines.push(format!("{} cannot be trusted: {why}", path.display())),
        }
    }
    Ok(lines)
}

/// Trusts the files of a project no longer, and returns a line for each that was.
pub(crate) fn revoke(folders: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let record = TrustRecord::find()?;
    let mut lines = Vec::new();
    for path in folders.iter().map(|folder| folder.join(FILE)) {
        if record.revoke(&path)? {
            lines.push(format!("{} is no longer trusted", path.display()));
        }
    }
    Ok(lines)
}

fn record(file: &FoundFile) -> Result<(), Failure> {
    Ok(TrustRecord::find()?.trust(&file.path, &hash_of(file))?)
}

fn hash_of(file: &FoundFile) -> String {
    hash(file.text.as_bytes())
}
