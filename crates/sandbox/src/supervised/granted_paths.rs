//! Paths outside the root that one command may read or change.
//!
//! A path is used exactly as a person has read it: if it leads through a link now, that is an
//! error, and the helpers open it without links, too. Paths that no command may see are never
//! opened.

use std::path::Path;

use crate::command::{ConfinedCommand, SecretAccess};
use crate::error::{Error, ErrorKind};
use crate::sandbox::Sandbox;
use crate::supervised::name_index::is_protected_name;
use crate::supervised::settings::HelperSettings;

impl Sandbox {
    /// Adds the paths of a command to its readable and writable paths.
    pub(super) fn open_paths(
        &self,
        command: &ConfinedCommand,
        settings: &mut HelperSettings,
    ) -> Result<(), Error> {
        let sees_secrets = command.secrets == SecretAccess::All;
        for path in &command.doors.readable {
            self.check(path, sees_secrets)?;
            settings.readable.push(path.clone());
            settings.looked_through.push(path.clone());
        }
        for path in &command.doors.writable {
            self.check(path, sees_secrets)?;
            self.check_change(path)?;
            settings.writable.push(path.clone());
            if path.is_dir() {
                settings.watched.push(path.clone());
            }
            settings.looked_through.push(path.clone());
        }
        Ok(())
    }

    /// Returns an error if a command must not read a path, or cannot.
    fn check(&self, path: &Path, sees_secrets: bool) -> Result<(), Error> {
        let real = path.canonicalize();
        let real = real.map_err(|error| wrong(path, "cannot be opened").with_source(error))?;
        if real != path {
            let words = format!("leads through a link to {}; ask for that path", real.display());
            return Err(wrong(path, &words));
        }
        if path.parent().is_none() || path.to_str().is_none() {
            return Err(wrong(path, "is the whole file system, or its name is not UTF-8"));
        }
        if KERNEL.iter().any(|kernel| path.starts_with(kernel)) {
            return Err(wrong(path, "belongs to the kernel and is opened to no command"));
        }
        let options = &self.options;
        if options.hidden.iter().chain([&self.given().to_owned()]).any(|own| path.starts_with(own))
        {
            return Err(wrong(
                path,
                "holds secrets or what silcrow stores, and is opened to no command",
            ));
        }
        let is_secret = |path: &Path| options.secret_names.is_some_and(|is_secret| is_secret(path));
        let beneath = path.strip_prefix("/").unwrap_or(path);
        let parts = beneath.ancestors().filter(|part| !part.as_os_str().is_empty());
        if !sees_secrets && parts.into_iter().any(is_secret) {
            return Err(wrong(path, "usually holds secrets, so it is not opened in this way"));
        }
        Ok(())
    }

    /// Returns an error if a command must not change a path.
    fn check_change(&self, path: &Path) -> Result<(), Error> {
        let options = &self.options;
        let is_protected = options.protected.iter().any(|own| path.starts_with(own));
        if is_protected || is_protected_name(&options.protected_names, path) {
            let words = "is run or obeyed by programs by themselves, so commands do not change it";
            return Err(wrong(path, words));
        }
        Ok(())
    }
}

fn wrong(path: &Path, why: &str) -> Error {
    Error::new(ErrorKind::Invalid, format!("{} {why}", path.display()))
}

/// The folders without personal files.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];
