//! The instructions of a project, which may come from anybody, and whether the person trusts them.

use std::path::PathBuf;

use silcrow_settings::{TrustRecord, TrustStatus, hash};
use silcrow_term::quantity::size;

use super::FILE;
use super::file::FoundFile;
use crate::error::Error;

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

/// The files of a project that the person does not trust yet, for a question about them.
///
/// ```
/// use silcrow_session::instructions::UntrustedInstructions;
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-session-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let folders = [folder.clone()];
/// let untrusted = UntrustedInstructions::find(&folders);
/// if !untrusted.is_empty() {
///     println!("{}Trust them?", untrusted.rows());
/// }
/// # assert!(untrusted.is_empty());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
#[derive(Debug)]
pub struct UntrustedInstructions(Vec<FoundFile>);

impl UntrustedInstructions {
    /// Finds the files in the folders of a project, the nearest first.
    pub fn find(folders: &[PathBuf]) -> Self {
        let files = files(folders).filter_map(|(_, found)| found.ok());
        let is_asked = |file: &FoundFile| standing(file) != TrustStatus::Trusted;
        Self(files.filter(is_asked).collect())
    }

    /// Returns whether there is nothing to ask about.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a row for each file, with its size, and whether it has changed since it was trusted.
    pub fn rows(&self) -> String {
        let row = |file: &FoundFile| {
            let changed = match standing(file) {
                TrustStatus::Changed => ", changed since it was trusted",
                _ => "",
            };
            format!("  {} ({}){changed}\n", file.label, size(file.text.len()))
        };
        self.0.iter().map(row).collect()
    }

    /// Trusts the files until they change.
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be written.
    pub fn trust(&self) -> Result<(), Error> {
        self.0.iter().try_for_each(record)
    }
}

/// Trusts the contents that the files of a project have now, and returns a line for each.
///
/// # Errors
///
/// Returns an error if the record of trusted files cannot be read or written.
pub fn trust(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
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
///
/// # Errors
///
/// Returns an error if the record of trusted files cannot be read or written.
pub fn revoke(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let record = TrustRecord::find()?;
    let mut lines = Vec::new();
    for path in folders.iter().map(|folder| folder.join(FILE)) {
        if record.revoke(&path)? {
            lines.push(format!("{} is no longer trusted", path.display()));
        }
    }
    Ok(lines)
}

fn record(file: &FoundFile) -> Result<(), Error> {
    Ok(TrustRecord::find()?.trust(&file.path, &hash_of(file))?)
}

fn hash_of(file: &FoundFile) -> String {
    hash(file.text.as_bytes())
}
