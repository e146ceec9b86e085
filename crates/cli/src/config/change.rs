//! A file of settings that a command changes: it stays one, and what the person wrote there is
//! trusted if everything else in it was.

use std::path::{Path, PathBuf};

use silcrow_policy::PolicyOwner;

use super::edit;
use super::file::{self, ConfigFile};
use super::project;
use crate::failure::Failure;

/// The person's own file of settings, or that of a project.
pub(crate) struct SettingsFile {
    path: PathBuf,
    owner: PolicyOwner,
}

impl SettingsFile {
    /// Returns the person's own file, or that of the project at `root`. It may not exist.
    pub(crate) fn of(root: &Path, in_project: bool) -> Result<Self, Failure> {
        if !in_project {
            let path = file::own_path().ok_or_else(|| {
                Failure::given("there is no home folder to keep settings in; set XDG_CONFIG_HOME")
            })?;
            return Ok(Self { path, owner: PolicyOwner::Person });
        }
        let root = root.canonicalize().map_err(|error| {
            Failure::given(format!("cannot look at {}: {error}", root.display()))
        })?;
        Ok(Self { path: file::project_path(&root), owner: PolicyOwner::Project })
    }

    /// Returns the path, for messages.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Changes the text, and writes it if it is still a file of settings.
    pub(crate) fn change(
        &self,
        changed: &dyn Fn(&str) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let Self { path, owner } = self;
        let before = edit::text(path, *owner)?;
        let after = changed(&before)?;
        ConfigFile::parse(path, after.clone(), *owner)?;
        let was_trusted = *owner == PolicyOwner::Project && is_trusted(path, &before)?;
        edit::write(path, &after, *owner)?;
        if was_trusted && !is_trusted(path, &after)? {
            project::trust(path, &after)?;
        }
        Ok(())
    }

    /// Adds an MCP server.
    pub(crate) fn add_server(&self, name: &str, server: &toml_edit::Table) -> Result<(), Failure> {
        self.change(&|text| edit::add_table(text, SERVERS, name, server.clone()))
    }

    /// Removes an MCP server, and returns its address if it is at one.
    pub(crate) fn remove_server(&self, name: &str) -> Result<Option<String>, Failure> {
        let before = edit::text(&self.path, self.owner)?;
        self.change(&|text| edit::remove_table(text, SERVERS, name))?;
        let before: toml::Table = before.parse().unwrap_or_default();
        let url = before.get(SERVERS).and_then(|servers| servers.get(name)?.get("url")?.as_str());
        Ok(url.map(str::to_owned))
    }
}

/// Returns whether all settings of a project's file count.
fn is_trusted(path: &Path, text: &str) -> Result<bool, Failure> {
    let Ok(mut file) = ConfigFile::parse(path, text.to_owned(), PolicyOwner::Project) else {
        return Ok(false);
    };
    Ok(file.take_untrusted().is_empty() || project::is_recorded(path, text)?)
}

/// The table of servers.
const SERVERS: &str = "mcp";
