//! Commands that change nothing and have no network, whatever they try.
//!
//! The kernel keeps them from it. In addition, settings switch off programs of git that a
//! repository names, if git has settings for it.

use crate::error::{Error, ErrorKind};
use crate::git_environment::git_environment;
use crate::sandbox::Sandbox;
use crate::supervised::secret_files::SecretFiles;
use crate::supervised::settings::HelperSettings;

impl Sandbox {
    /// Returns the variable that names the settings of git, if these are not the person's own.
    pub(super) fn git_settings(&self) -> Result<Option<(String, String)>, Error> {
        let Some(settings) = &self.options.git_settings else { return Ok(None) };
        let path = self.give("gitconfig", settings)?;
        Ok(Some(("GIT_CONFIG_GLOBAL".to_owned(), path)))
    }

    /// Restricts the settings to a command that changes nothing.
    pub(super) fn make_read_only(
        &self,
        settings: &mut HelperSettings,
        secrets: &SecretFiles,
    ) -> Result<(), Error> {
        if !self.layers().hold_read_only() {
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
        // No path can be changed or created.
        settings.protected.clear();
        settings.protected_names.clear();
        settings.is_read_only = true;
        let attributes = self.give("attributes", &self.options.secret_attributes)?;
        settings.environment.extend(git_environment(&attributes));
        Ok(())
    }
}
