//! A command's access to the repository that contains the root.
//!
//! Every command may read it. Its data can be changed only by a command that may do so.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::{env, fs};

use crate::command::{ConfinedCommand, SecretAccess};
use crate::git_environment::data_environment;
use crate::repository::Repository;
use crate::sandbox::Sandbox;
use crate::supervised::secret_files::SecretFiles;
use crate::supervised::settings::{HelperSettings, RepositorySettings};

impl Sandbox {
    /// Opens the repository around the root to a command, and returns the files with secret names that
    /// are hidden from it there.
    pub(super) fn open_repository(
        &self,
        command: &ConfinedCommand,
        settings: &mut HelperSettings,
    ) -> SecretFiles {
        let mut secrets = SecretFiles::default();
        let Some(repository) = self.repository() else { return secrets };
        let root = self.root();
        if repository.top != root
            && let Some(found) = self.surroundings(&repository, &command.secrets)
        {
            secrets = found;
            settings.readable.push(repository.top.clone());
            settings.looked_through.push(repository.top.clone());
        }
        let folders = [&repository.own, &repository.common];
        let outside = folders.into_iter().filter(|path| !path.starts_with(root));
        settings.readable.extend(outside.cloned());
        let is_granted = command.doors.git && !command.is_read_only;
        if is_granted {
            settings.protected.retain(|path| *path != repository.common);
            settings.writable.push(repository.common.clone());
            settings.environment.splice(0..0, data_environment());
        }
        let Repository { top, own, common } = repository;
        settings.repository = Some(RepositorySettings { top, own, common, is_granted });
        secrets
    }

    /// Returns the repository that the root lies in, if commands may read it and nothing of it is
    /// hidden.
    fn repository(&self) -> Option<Repository> {
        if !self.options.reads_repository {
            return None;
        }
        let home = env::home_dir().and_then(|home| fs::canonicalize(home).ok());
        let found = Repository::around(self.root(), home.as_deref())?;
        let is_hidden =
            |path: &PathBuf| self.options.hidden.iter().any(|own| path.starts_with(own));
        let is_open = !found.folders().into_iter().any(is_hidden);
        is_open.then_some(found)
    }

    /// Returns the files with secret names in the repository outside the root; `None` if they
    /// cannot all be found, so that no file there may be read.
    fn surroundings(&self, repository: &Repository, access: &SecretAccess) -> Option<SecretFiles> {
        let (Some(is_secret), SecretAccess::Named(named)) = (self.options.secret_names, access)
        else {
            return Some(SecretFiles::default());
        };
        if self.state.has_wide_surroundings.load(Ordering::Relaxed) {
            return None;
        }
        let passed = [self.options.hidden.as_slice(), &[self.root().to_owned()]].concat();
        let has_mounts = self.layers().namespaces;
        let found = SecretFiles::find([&repository.top], is_secret, (named, &passed), has_mounts);
        self.state.has_wide_surroundings.store(found.is_cut, Ordering::Relaxed);
        (!found.is_cut).then_some(found)
    }
}
