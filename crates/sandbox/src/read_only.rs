//! Commands that change nothing and have no network, whatever they try.
//!
//! A list of harmless commands may be wrong, and git runs programs that a repository names. So what
//! runs without a question runs like this: the kernel keeps what the list promises. In addition
//! settings switch such programs of git off, where there are settings for it.

use std::fs;

use crate::error::{Error, ErrorKind};
use crate::git_environment::git_environment;
use crate::sandbox::Sandbox;
use crate::secret_files::SecretFiles;
use crate::settings::HelperSettings;

impl Sandbox {
    /// Returns whether commands can be kept from changing anything and from the network. Landlock has
    /// to confine files for that, and the seccomp filter has to deny sockets, since namespaces alone
    /// leave local ones open.
    pub fn can_enforce_read_only(&self) -> bool {
        let layers = self.layers();
        layers.landlock && layers.seccomp && !self.is_partly_hidden()
    }

    /// Returns the variable that names the settings of git, if these are not the person's own.
    pub(crate) fn git_settings(&self) -> Result<Option<(String, String)>, Error> {
        let Some(settings) = &self.options.git_settings else { return Ok(None) };
        let path = self.give("gitconfig", settings)?;
        Ok(Some(("GIT_CONFIG_GLOBAL".to_owned(), path)))
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

    /// Makes the settings those of a command that changes nothing.
    pub(crate) fn make_read_only(
        &self,
        settings: &mut HelperSettings,
        secrets: &SecretFiles,
    ) -> Result<(), Error> {
        let layers = self.layers();
        if !layers.landlock || !layers.seccomp {
            return Err(Error::not_enforced());
        }
        if secrets.is_cut {
            let words = "the folder has too many files, or names that are not UTF-8, to hide all \
                files that usually hold secrets, so this command needs a yes";
            return Err(Error::new(ErrorKind::Unavailable, words));
        }
        let temp = self.temporary_folder().to_owned();
        let written = std::mem::replace(&mut settings.writable, vec![temp]);
        settings.readable.extend(written);
        // Nothing that exists can be changed, and nothing can be made.
        settings.protected.clear();
        settings.protected_names.clear();
        settings.is_read_only = true;
        let attributes = self.give("attributes", &self.options.secret_attributes)?;
        settings.environment.extend(git_environment(&attributes));
        Ok(())
    }
}
