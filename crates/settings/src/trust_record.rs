//! The record of trusted manifests, settings and instructions in the person's data folder.
//!
//! This module records paths and hashes, and does not interpret the files.

use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::folders::data_folder;
use crate::owned;
use crate::text::shortened;
use silcrow_environment::Environment;

/// The record of files that the person trusts: a folder with a file for each path, which has the
/// hashes of trusted contents.
///
/// The folder and its files are used only if no other user can write to them.
#[derive(Clone, Debug)]
pub struct TrustRecord {
    folder: PathBuf,
}

/// The status of a file in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "contents are recorded, others are, or none are")]
pub enum TrustStatus {
    /// These contents are trusted.
    Trusted,
    /// Other contents of the same path are trusted.
    Changed,
    /// No contents of the path are trusted.
    Unknown,
}

impl TrustStatus {
    /// Returns the reason why a file may not be used.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Trusted => "is trusted",
            Self::Changed => "has changed since it was trusted",
            Self::Unknown => "is not trusted yet",
        }
    }
}

impl TrustRecord {
    /// Returns the record of the person whose environment this process has.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no home folder.
    pub fn find() -> Result<Self, Error> {
        Self::for_environment(&Environment::process())
    }

    /// Returns the record in the data folder of an environment.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no home folder.
    pub fn for_environment(environment: &Environment) -> Result<Self, Error> {
        let folder = data_folder(environment)
            .ok_or_else(|| Error::invalid("no home folder for conversations; give --store DIR"))?;
        Ok(Self::at(folder.join("silcrow-trust")))
    }

    /// Returns the record in a folder, which may not exist yet.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use silcrow_settings::{TrustRecord, TrustStatus};
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// let record = TrustRecord::at(folder.path().join("trust"));
    /// let file = Path::new("/work/AGENTS.md");
    /// let hash = silcrow_settings::hash(b"Use tabs.");
    /// assert_eq!(record.standing(file, &hash)?, TrustStatus::Unknown);
    /// record.trust(file, &hash)?;
    /// assert_eq!(record.standing(file, &hash)?, TrustStatus::Trusted);
    /// let other = silcrow_settings::hash(b"Use blanks.");
    /// assert_eq!(record.standing(file, &other)?, TrustStatus::Changed);
    /// assert!(record.revoke(file)?);
    /// # Ok::<(), silcrow_settings::Error>(())
    /// ```
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the folder of the record, which may not exist yet.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether these contents of a path are trusted.
    ///
    /// # Errors
    ///
    /// Returns an error if others can change the record, or it cannot be read.
    pub fn standing(&self, path: &Path, hash: &str) -> Result<TrustStatus, Error> {
        Ok(match self.hashes(path)? {
            hashes if hashes.iter().any(|trusted| trusted == hash) => TrustStatus::Trusted,
            hashes if hashes.is_empty() => TrustStatus::Unknown,
            _ => TrustStatus::Changed,
        })
    }

    /// Trusts these contents of a path, in addition to those that were trusted last.
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be used.
    pub fn trust(&self, path: &Path, hash: &str) -> Result<(), Error> {
        let mut hashes = self.hashes(path)?;
        hashes.retain(|trusted| trusted != hash);
        hashes.push(hash.to_owned());
        let first = hashes.len().saturating_sub(KEPT);
        // The path is a comment for people who read the file.
        let text = format!(
            "# {}\n{}\n",
            shortened(&path.to_string_lossy(), WIDE),
            hashes[first..].join("\n")
        );
        owned::make_folder(&self.folder)
            .and_then(|()| owned::write(&self.file(path), &text))
            .map_err(|error| self.unusable(&error))
    }

    /// Removes the trust in all contents of a path, and returns whether any were trusted.
    ///
    /// # Errors
    ///
    /// Returns an error if the record cannot be used.
    pub fn revoke(&self, path: &Path) -> Result<bool, Error> {
        let any = !self.hashes(path)?.is_empty();
        match std::fs::remove_file(self.file(path)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.unusable(&error)),
            _ => Ok(any),
        }
    }

    fn hashes(&self, path: &Path) -> Result<Vec<String>, Error> {
        let read = owned::check_folder(&self.folder).and_then(|()| owned::read(&self.file(path)));
        match read {
            Ok(text) => {
                let hashes = text.lines().filter(|line| !line.starts_with('#'));
                Ok(hashes.map(str::to_owned).collect())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    fn file(&self, path: &Path) -> PathBuf {
        self.folder.join(hash(path.as_os_str().as_encoded_bytes()))
    }

    fn unusable(&self, error: &io::Error) -> Error {
        let folder = self.folder.display();
        Error::invalid(format!(
            "the record of trusted manifests in {folder} cannot be used: {error}"
        ))
    }
}

/// Returns the SHA-256 in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes everything");
        hex
    })
}

/// The number of characters of a path that are written, more than any path has.
const WIDE: usize = 4096;

/// The number of contents of one path that stay trusted, so that a person who returns to an earlier
/// version is not asked again.
const KEPT: usize = 16;
