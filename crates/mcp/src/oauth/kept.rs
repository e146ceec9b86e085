//! The logins of a person, in a folder.

use std::io;
use std::path::PathBuf;

use reqwest::Url;

use super::credentials::FileCredentials;

/// The credentials that logins have left in a folder.
///
/// ```
/// use silcrow_mcp::KeptLogins;
///
/// let logins = KeptLogins::new("there/is/no/such/folder");
/// assert!(logins.tokens("https://issues.example.org/mcp").is_empty());
/// // Forgetting returns whether there was a login.
/// assert!(!logins.forget("https://issues.example.org/mcp")?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLogins {
    folder: PathBuf,
}

impl KeptLogins {
    /// Names the logins in a folder, which may not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Returns the tokens for the server at an address, so that they can be masked elsewhere.
    pub fn tokens(&self, url: &str) -> Vec<String> {
        self.file(url).map(|file| file.tokens()).unwrap_or_default()
    }

    /// Forgets the credentials for the server at an address, and returns whether there were any. It
    /// sends nothing to the issuer, so tokens stay valid there.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be removed.
    pub fn forget(&self, url: &str) -> io::Result<bool> {
        self.file(url).map_or(Ok(false), |file| file.remove())
    }

    fn file(&self, url: &str) -> Option<FileCredentials> {
        let url = Url::parse(url).ok()?;
        Some(FileCredentials::new(&self.folder, url.as_str()))
    }
}
