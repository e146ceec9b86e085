//! The state of a path before or after a change, so that two of them can be compared.

use std::io;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The content of a file in a form that can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileState {
    /// The file does not exist.
    Missing,
    /// The SHA-256 of the content, in hexadecimal digits.
    Sha256(String),
    /// There is a file that was too long to be read, or could not be.
    Unread,
    /// There is a link, which leads to this path.
    Link(String),
    /// There is a folder.
    Folder,
    /// There is something else, such as a pipe.
    Special,
}

impl FileState {
    pub(crate) fn from_content(content: &[u8]) -> Self {
        Self::hashed(&Sha256::digest(content))
    }

    /// Returns the hash of the reader's bytes.
    pub(crate) fn read(reader: &mut impl io::Read) -> io::Result<Self> {
        let (mut hash, mut buffer) = (Sha256::new(), vec![0; 64 * 1024]);
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(Self::hashed(&hash.finalize())),
                length => hash.update(&buffer[..length]),
            }
        }
    }

    /// Returns whether there may be a content.
    pub(crate) const fn has_content(&self) -> bool {
        matches!(self, Self::Sha256(_) | Self::Unread)
    }

    fn hashed(hash: &[u8]) -> Self {
        Self::Sha256(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
