//! The instructions of a project, which anybody may have written, and whether the person trusts
//! them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use silcrow_settings::{TrustRecord, TrustStatus, hash};
use silcrow_term::quantity::size;

use super::file::FoundFile;
use super::names::{FILE, named_files};
use super::parts::parts_below;
use crate::error::Error;

/// Returns the files in the folders of a project, the nearest first, and why one cannot be read.
pub(super) fn files(
    folders: &[PathBuf],
) -> impl Iterator<Item = (PathBuf, Result<FoundFile, String>)> {
    let project = folders.last();
    folders.iter().zip(0..).filter_map(move |(folder, above)| {
        let path = named_files(folder).counts?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let origin = format!("{}{name}", "../".repeat(above));
        let found = FoundFile::of_project(&path, origin, project?)?;
        Some((path, found))
    })
}

/// Returns these files, and then the files of the parts below the first folder.
fn all_files(folders: &[PathBuf]) -> impl Iterator<Item = (PathBuf, Result<FoundFile, String>)> {
    let parts = folders.first().map(|root| (root, parts_below(root)));
    let nested = parts.into_iter().flat_map(|(root, parts)| {
        parts.into_iter().filter_map(move |path| {
            let origin = path.strip_prefix(root).ok()?.to_string_lossy().into_owned();
            Some((path.clone(), FoundFile::of_project(&path, origin, root)?))
        })
    });
    files(folders).chain(nested)
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
    /// Finds the instruction files in a project's folders, the nearest first. If there is one, the
    /// files of the parts below the first folder follow.
    pub fn find(folders: &[PathBuf]) -> Self {
        let is_asked = |file: &FoundFile| standing(file) != TrustStatus::Trusted;
        let asked = |found: Result<FoundFile, String>| found.ok().filter(is_asked);
        // The parts are searched only if there is a question anyway.
        match files(folders).any(|(_, found)| asked(found).is_some()) {
            true => Self(all_files(folders).filter_map(|(_, found)| asked(found)).collect()),
            false => Self(Vec::new()),
        }
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

/// Trusts the contents that the files of a project and of its parts have now, and returns a line for
/// each.
///
/// # Errors
///
/// Returns an error if the record of trusted files cannot be read or written.
pub fn trust(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    for (path, found) in all_files(folders) {
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

/// Ends the trust in the files of a project, and returns a line for each that was trusted.
///
/// # Errors
///
/// Returns an error if the record of trusted files cannot be read or written.
pub fn revoke(folders: &[PathBuf]) -> Result<Vec<String>, Error> {
    let record = TrustRecord::find()?;
    let mut lines = Vec::new();
    // A file that was removed may have been trusted, too.
    let usual = folders.iter().map(|folder| folder.join(FILE));
    let found = all_files(folders).map(|(path, _)| path);
    let paths: BTreeSet<_> = usual.chain(found).collect();
    for path in paths {
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
