//! The guarantees of a sandbox for commands that run without a question, and the files that it
//! gives to commands.
//!
//! A list of harmless commands may be wrong, and git runs programs that a repository names. So for
//! commands that run without a question, the kernel enforces the promise of the list, if it can.

use std::fs;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::sandbox::Sandbox;
use crate::system;

impl Sandbox {
    /// Returns whether commands can be kept from changing anything and from the network. Without a sandbox
    /// they cannot, and on Linux not without Landlock and a seccomp filter.
    pub fn can_enforce_read_only(&self) -> bool {
        self.layers().hold_read_only() && !system::is_partly_hidden(self)
    }

    /// Writes a file that commands read and cannot change, such as a start file of their shell, and
    /// returns its path. A file that was given under the same name is replaced. It is there as long as
    /// the sandbox.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn give(&self, name: &str, text: &str) -> Result<String, Error> {
        let path = self.given().join(name);
        fs::write(&path, text).map_err(|error| {
            let words = format!("{} cannot be written", path.display());
            Error::new(ErrorKind::Io, words).with_source(error)
        })?;
        Ok(path.display().to_string())
    }

    /// Returns whether files with some names are hidden from commands.
    pub fn hides_secrets(&self) -> bool {
        self.options.secret_names.is_some()
    }

    /// Returns whether commands see a path beneath the root, relative to it, only if they are allowed
    /// to ([`SandboxOptions::with_secret_names`](crate::SandboxOptions::with_secret_names)).
    pub fn is_secret_name(&self, path: &Path) -> bool {
        self.options.secret_names.is_some_and(|is_secret| is_secret(path))
    }
}
