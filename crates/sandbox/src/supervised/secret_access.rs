//! The files with secret names that the commands of a sandbox see.

use std::path::PathBuf;
use std::sync::PoisonError;

use crate::command::SecretAccess;
use crate::sandbox::Sandbox;
use crate::supervised::secret_files::SecretFiles;

impl Sandbox {
    /// Returns the files with secret names that a command must not see, beneath its writable
    /// folders and beneath the added folders.
    pub(super) fn secrets(&self, access: &SecretAccess, added: &[PathBuf]) -> SecretFiles {
        let options = &self.options;
        let (Some(is_secret), SecretAccess::Named(named)) = (options.secret_names, access) else {
            return SecretFiles::default();
        };
        let folders = [&options.root].into_iter().chain(&options.writable).chain(added);
        let has_mounts = self.layers().namespaces;
        let found = SecretFiles::find(folders, is_secret, (named, &options.hidden), has_mounts);
        *self.state.secret_look.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.is_cut);
        found
    }

    /// Returns whether the latest look could not find or hide all secrets. Without one it looks.
    pub(super) fn is_partly_hidden(&self) -> bool {
        let known = *self.state.secret_look.lock().unwrap_or_else(PoisonError::into_inner);
        known.unwrap_or_else(|| self.secrets(&SecretAccess::Named(Vec::new()), &[]).is_cut)
    }
}
