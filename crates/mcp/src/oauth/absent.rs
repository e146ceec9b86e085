//! The logins of a person in a program that was built without a client, which reads none.

use std::io;
use std::path::PathBuf;

/// The credentials in a folder, which are not read without a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLogins {
    folder: PathBuf,
}

impl KeptLogins {
    /// Returns the logins in a folder, which may not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns no tokens: none of them is used here.
    pub const fn tokens(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    /// Returns an error.
    ///
    /// # Errors
    ///
    /// Always returns an error: there is no client.
    pub fn forget(&self, _: &str) -> io::Result<bool> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this program was built without a client of MCP servers; build it with the feature `mcp`",
        ))
    }
}
