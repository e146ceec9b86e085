//! Changes to a file of settings: it stays valid, and a trusted file stays trusted after the
//! person's change.

use std::path::{Path, PathBuf};

use silcrow_policy::PolicyOwner;

use super::document::{self, SettingsDocument};
use super::edit::{self, KeyPath};
use super::key::SettingKey;
use super::project;
use super::server_table::server_table;
use crate::error::Error;
use crate::mcp::DeclaredServer;
use silcrow_environment::Environment;

/// Changes a file of settings, and keeps its comments and the order of its lines.
#[derive(Clone, Debug)]
pub struct SettingsEditor {
    path: PathBuf,
    owner: PolicyOwner,
    environment: Environment,
}

impl SettingsEditor {
    /// Returns an editor of the person's own file, which may not exist.
    ///
    /// ```
    /// use silcrow_settings::{Environment, SettingKey, SettingsEditor};
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// let environment = Environment::from_vars([("XDG_CONFIG_HOME", home.path())]);
    /// let editor = SettingsEditor::of_person(&environment)?;
    /// editor.set(None, SettingKey::Model, "openai:gpt-5.1")?;
    /// let written = std::fs::read_to_string(home.path().join("silcrow/config.toml")).unwrap();
    /// assert_eq!(written, "model = \"openai:gpt-5.1\"\n");
    /// // What is wrong is not written.
    /// assert!(editor.set(None, SettingKey::Seed, "many").is_err());
    /// # Ok::<(), silcrow_settings::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if there is no home folder.
    pub fn of_person(environment: &Environment) -> Result<Self, Error> {
        let path = document::own_path(environment)
            .ok_or_else(|| Error::invalid("no home folder for settings; set XDG_CONFIG_HOME"))?;
        Ok(Self { path, owner: PolicyOwner::Person, environment: environment.clone() })
    }

    /// Returns an editor of the file of the project at `root`, which may not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the root does not exist.
    pub fn of_project(root: &Path, environment: &Environment) -> Result<Self, Error> {
        let root = root.canonicalize().map_err(|error| {
            Error::invalid(format!("cannot look at {}: {error}", root.display()))
        })?;
        let path = document::project_path(&root);
        Ok(Self { path, owner: PolicyOwner::Project, environment: environment.clone() })
    }

    /// Returns the path, for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Sets a key, in a profile if one is named. The value is written as a person types it: a list of
    /// tools has commas between its names.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot have this value, or cannot be written.
    pub fn set(&self, profile: Option<&str>, key: SettingKey, value: &str) -> Result<(), Error> {
        let path = KeyPath { profile, key: key.as_str() };
        self.change(&|text| edit::set(text, &path, key, value))
    }

    /// Removes a key, from a profile if one is named. `key` may also be one that no file can have.
    ///
    /// # Errors
    ///
    /// Returns an error if the key is not set, or the file cannot be written.
    pub fn unset(&self, profile: Option<&str>, key: &str) -> Result<(), Error> {
        let path = KeyPath { profile, key };
        self.change(&|text| edit::unset(text, &path))
    }

    /// Adds an MCP server, whose table is `[mcp.NAME]`. A header whose value a command prints is left out:
    /// a person writes it into the file.
    ///
    /// ```
    /// use silcrow_settings::{DeclaredPlace, DeclaredServer, Environment, SettingsEditor};
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// let environment = Environment::from_vars([("XDG_CONFIG_HOME", home.path())]);
    /// let words = vec!["uvx".to_owned(), "mcp-server-time".to_owned()];
    /// let place = DeclaredPlace::Command { words, env: Vec::new(), folder: None };
    /// let editor = SettingsEditor::of_person(&environment)?;
    /// editor.add_server(&DeclaredServer::new("time", place, "this example"))?;
    /// let written = std::fs::read_to_string(home.path().join("silcrow/config.toml")).unwrap();
    /// assert_eq!(written, "[mcp.time]\ncommand = [\"uvx\", \"mcp-server-time\"]\n");
    /// # Ok::<(), silcrow_settings::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the file has a server of this name, or cannot have this one.
    pub fn add_server(&self, server: &DeclaredServer) -> Result<(), Error> {
        server.check().map_err(Error::invalid)?;
        let table = server_table(server);
        self.change(&|text| edit::add_table(text, SERVERS, &server.name, table.clone()))
    }

    /// Removes an MCP server, and returns its address if it is at one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not have the server, or cannot be written.
    pub fn remove_server(&self, name: &str) -> Result<Option<String>, Error> {
        let before = edit::text(&self.path, self.owner)?;
        self.change(&|text| edit::remove_table(text, SERVERS, name))?;
        let before: toml::Table = before.parse().unwrap_or_default();
        let url = before.get(SERVERS).and_then(|servers| servers.get(name)?.get("url")?.as_str());
        Ok(url.map(str::to_owned))
    }

    /// Changes the text, and writes it if it is still a file of settings.
    fn change(&self, changed: &dyn Fn(&str) -> Result<String, Error>) -> Result<(), Error> {
        let Self { path, owner, environment } = self;
        let before = edit::text(path, *owner)?;
        let after = changed(&before)?;
        SettingsDocument::parse(path, after.clone(), *owner, environment)?;
        let was_trusted = *owner == PolicyOwner::Project && self.is_trusted(&before)?;
        edit::write(path, &after, *owner)?;
        if was_trusted && !self.is_trusted(&after)? {
            project::trust(path, &after, environment)?;
        }
        Ok(())
    }

    /// Returns whether all settings of a project's file count.
    fn is_trusted(&self, text: &str) -> Result<bool, Error> {
        let Self { path, environment, .. } = self;
        let text_of = text.to_owned();
        let parsed = SettingsDocument::parse(path, text_of, PolicyOwner::Project, environment);
        let Ok(mut file) = parsed else { return Ok(false) };
        Ok(file.take_untrusted().is_empty() || project::is_recorded(path, text, environment)?)
    }
}

/// The table of servers.
const SERVERS: &str = "mcp";
