//! Commands that change nothing and have no network, whatever they try.
//!
//! A list of harmless commands may be wrong, and git runs programs that a repository names. So what
//! runs without a question runs like this: the kernel keeps what the list promises. In addition git is
//! told not to run such programs, where it can be told.

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

    /// Makes the settings those of a command that changes nothing.
    pub(crate) fn make_read_only(
        &self,
        settings: &mut HelperSettings,
        secrets: &SecretFiles,
    ) -> Result<(), Error> {
        let layers = self.layers();
        if !layers.landlock || !layers.seccomp {
            let words = "no sandbox of this machine keeps a command from changing files and from the \
                network, so this one needs a yes";
            return Err(Error::new(ErrorKind::Unavailable, words));
        }
        if secrets.is_cut {
            let words = "the folder has too many files to hide all of those that usually hold \
                secrets, so this command needs a yes";
            return Err(Error::new(ErrorKind::Unavailable, words));
        }
        let temp = self.temp().to_owned();
        let written = std::mem::replace(&mut settings.writable, vec![temp]);
        settings.readable.extend(written);
        // Nothing that exists can be changed, and nothing can be made.
        settings.protected.clear();
        settings.protected_names.clear();
        settings.is_read_only = true;
        // A command that may write there may have changed it.
        let attributes = self.temp().join("attributes");
        fs::write(&attributes, &self.options.secret_attributes).map_err(|error| {
            let words = format!("{} cannot be written", attributes.display());
            Error::new(ErrorKind::Io, words).with_source(error)
        })?;
        let attributes = attributes.display().to_string();
        settings.environment.extend(git_environment(&attributes));
        Ok(())
    }
}
