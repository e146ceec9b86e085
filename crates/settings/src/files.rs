//! The files of settings of a person and of a project, and the order in which their values count.
//!
//! This module combines the files in order: the environment, the profile, the files of the project
//! from the root up to its repository, and the person's own file. A project's file can narrow
//! permissions; its other settings count only if they send nothing elsewhere, or once the person
//! trusts the file.

use std::io;
use std::path::{Path, PathBuf};

use silcrow_policy::PolicyFile;

use crate::error::Error;
use crate::folders::project_folders;
use crate::mcp::DeclaredServer;
use crate::source::{SettingSource, Sourced};
use silcrow_environment::Environment;

mod change;
mod document;
mod edit;
mod entry;
mod flag;
mod key;
mod project;
mod secret_name;
mod server_table;
mod usual;
mod value;
mod word;

pub use change::SettingsEditor;
pub use document::{PROJECT_FOLDER, own_path, project_path};
pub use entry::SettingEntry;
pub use key::{ProjectRight, SettingKey};
pub use project::{TrustedFile, UntrustedFile};
pub use value::SettingValue;

use document::{SettingsDocument, SettingsTable, WrittenSetting};
use project::{AskTrust, ProjectSettings};

/// The files of settings that count for a folder, read and checked.
#[derive(Clone, Debug)]
pub struct FileSettings {
    environment: Environment,
    /// The profile that was chosen, with the source of the choice.
    profile: Option<Sourced<String>>,
    own: Option<SettingsDocument>,
    /// The files of the project, the nearest first.
    projects: Vec<ProjectSettings>,
}

impl FileSettings {
    /// Reads the files for a program whose tools see `root`, with the profile of this name, or else
    /// of the environment, or else of the person's own file. An untrusted project is skipped
    /// without a question.
    ///
    /// ```
    /// use silcrow_settings::{Environment, FileSettings};
    ///
    /// # let root = tempfile::tempdir().unwrap();
    /// # std::fs::create_dir(root.path().join(".silcrow")).unwrap();
    /// # let file = root.path().join(".silcrow/config.toml");
    /// std::fs::write(file, "dialect = \"phase\"\nmodel = \"openai:gpt-5.1\"\n").unwrap();
    /// let environment = Environment::from_vars([("HOME", "/nowhere")]);
    /// let files = FileSettings::load(&environment, root.path(), None)?;
    /// let line = |key: &str| files.entries().iter().find(|row| row.key.as_str() == key).unwrap().to_string();
    /// assert!(line("dialect").starts_with("dialect = phase ("));
    /// // A project that nobody trusts does not choose the model.
    /// assert_eq!(line("model"), "model = rehearsal (default)");
    /// assert_eq!(files.untrusted().count(), 1);
    /// # Ok::<(), silcrow_settings::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for a file that has a mistake, that others can write if it is the person's own,
    /// or that cannot be read, and for a profile that does not exist.
    pub fn load(
        environment: &Environment,
        root: &Path,
        profile: Option<&str>,
    ) -> Result<Self, Error> {
        Self::load_asking(environment, root, profile, &|_| Ok(false))
    }

    /// Reads the files as [`load`](Self::load) does, and asks whether the person trusts a project's
    /// file if it has settings that count only then. A yes is recorded, until the file changes.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`load`](Self::load), and an error if the person cannot be asked or the
    /// record cannot be written.
    pub fn load_asking(
        environment: &Environment,
        root: &Path,
        profile: Option<&str>,
        ask: &dyn Fn(&UntrustedFile<'_>) -> io::Result<bool>,
    ) -> Result<Self, Error> {
        let own = match own_path(environment) {
            Some(path) => SettingsDocument::read_own(&path, environment)?,
            None => None,
        };
        let profile = chosen_profile(profile, environment, own.as_ref());
        if let (Some(Sourced { value, source }), None) = (&profile, &own) {
            return Err(Error::invalid(format!(
                "unknown profile `{value}` ({source}), because you have no file of settings"
            )));
        }
        if let (Some(profile), Some(own)) = (&profile, &own) {
            own.profile(&profile.value)?;
        }
        let ask: AskTrust<'_> = ask;
        let folders = project_folders(root).into_iter();
        let files = folders.map(|folder| ProjectSettings::read(&folder, environment, ask));
        let projects = files.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        Ok(Self { environment: environment.clone(), profile, own, projects })
    }

    /// Trusts the current contents of the project's files around a root, and returns the files.
    ///
    /// # Errors
    ///
    /// Returns an error for a file that cannot be read, and if the record cannot be written.
    pub fn trust_projects(
        environment: &Environment,
        root: &Path,
    ) -> Result<Vec<TrustedFile>, Error> {
        let folders = project_folders(root).into_iter();
        let trusted = folders.map(|folder| project::trust_project(&folder, environment));
        trusted.filter_map(Result::transpose).collect()
    }

    /// Returns the paths of all settings files that apply to a root, whether they exist or not: the
    /// person's own, then the project's, the nearest first.
    pub fn paths(environment: &Environment, root: &Path) -> Vec<PathBuf> {
        let projects = project_folders(root).into_iter().map(|folder| project_path(&folder));
        own_path(environment).into_iter().chain(projects).collect()
    }

    /// Returns the profile that was chosen.
    pub const fn profile(&self) -> Option<&Sourced<String>> {
        self.profile.as_ref()
    }

    /// Returns the project's files that count only in part, because the person does not trust them.
    pub fn untrusted(&self) -> impl Iterator<Item = UntrustedFile<'_>> {
        self.projects.iter().filter_map(ProjectSettings::untrusted)
    }

    /// Returns the value that counts for a key, from the environment or the files.
    pub fn get(&self, key: SettingKey) -> Option<Sourced<SettingValue>> {
        if let (SettingKey::Profile, Some(Sourced { value, source })) = (key, &self.profile) {
            let value = SettingValue::Text(value.clone());
            return Some(Sourced { value, source: source.clone() });
        }
        let set = key.variable().and_then(|name| Some((name, self.environment.get(name)?)));
        match set {
            Some((name, text)) => Some(Sourced {
                value: SettingValue::Text(text),
                source: SettingSource::Environment(name),
            }),
            None => self.in_files(key).next(),
        }
    }

    /// Returns the values in the project's files for a key that they can only narrow.
    pub fn narrowing(&self, key: SettingKey) -> impl Iterator<Item = Sourced<SettingValue>> {
        let is_narrowed = key.right_of_project() == ProjectRight::Narrows;
        let files = self.projects.iter().filter(move |_| is_narrowed).map(|project| &project.file);
        files.filter_map(move |file| Some(found(file, None, file.table.settings.get(&key)?)))
    }

    /// Returns the person's tables, in order of precedence.
    fn own_tables(
        &self,
    ) -> impl Iterator<Item = (&SettingsDocument, Option<&str>, &SettingsTable)> {
        let own = self.own.as_ref();
        let profile = own.zip(self.profile.as_ref()).and_then(|(own, name)| {
            Some((own, Some(&*name.value), own.profiles.get(&name.value)?))
        });
        profile.into_iter().chain(own.map(|own| (own, None, &own.table)))
    }

    /// Returns the values of a key in the files, in order of precedence. Values of a project that
    /// can only narrow are left out.
    pub(crate) fn in_files(&self, key: SettingKey) -> impl Iterator<Item = Sourced<SettingValue>> {
        let mut own = self.own_tables();
        let profile = self.profile.is_some().then(|| own.next()).flatten();
        let is_set =
            matches!(key.right_of_project(), ProjectRight::Sets | ProjectRight::SetsIfTrusted);
        let projects = self.projects.iter().filter(move |_| is_set).map(|project| &project.file);
        let projects = projects.map(|file| (file, None, &file.table));
        let tables = profile.into_iter().chain(projects).chain(own);
        tables.filter_map(move |(file, profile, table)| {
            let setting = table.settings.get(&key)?;
            Some(found(file, profile, setting))
        })
    }

    /// Returns the MCP servers of all files. A name in the person's own files is the person's, even
    /// if a project has it too.
    pub fn servers(&self) -> Vec<DeclaredServer> {
        let own = self.own_tables().map(|(_, _, table)| table);
        let projects = self.projects.iter().map(|project| &project.file.table);
        let mut servers: Vec<DeclaredServer> = Vec::new();
        for table in own.chain(projects) {
            let setting = table.settings.get(&SettingKey::Mcp).map(|setting| &setting.value);
            let Some(SettingValue::Servers(found)) = setting else { continue };
            for server in found {
                if servers.iter().all(|known| known.name != server.name) {
                    servers.push(server.clone());
                }
            }
        }
        servers
    }

    /// Returns the rules of the person's file, followed by the profile's rules.
    pub(crate) fn own_policies(&self) -> Vec<PolicyFile> {
        let mut policies: Vec<_> =
            self.own_tables().filter_map(|(_, _, table)| table.policy.clone()).collect();
        policies.reverse();
        policies
    }

    /// Returns the rules of the project, which only narrow.
    pub(crate) fn project_policies(&self) -> Vec<PolicyFile> {
        self.projects.iter().filter_map(|project| project.file.table.policy.clone()).collect()
    }
}

fn found(
    file: &SettingsDocument,
    profile: Option<&str>,
    setting: &WrittenSetting,
) -> Sourced<SettingValue> {
    let source = SettingSource::File {
        name: file.name.clone(),
        line: setting.line,
        profile: profile.map(str::to_owned),
    };
    Sourced { value: setting.value.clone(), source }
}

/// Returns the profile that was chosen: by the caller, in the environment, or in the person's file.
fn chosen_profile(
    given: Option<&str>,
    environment: &Environment,
    own: Option<&SettingsDocument>,
) -> Option<Sourced<String>> {
    let given = given.map(|name| Sourced {
        value: name.to_owned(),
        source: SettingSource::Flag(SettingKey::Profile.flag()),
    });
    let set = || {
        let variable = SettingKey::Profile.variable()?;
        let value = environment.get(variable)?;
        Some(Sourced { value, source: SettingSource::Environment(variable) })
    };
    let written = || {
        let own = own?;
        let Sourced { value, source } =
            found(own, None, own.table.settings.get(&SettingKey::Profile)?);
        Some(Sourced { value: value.to_string(), source })
    };
    given.or_else(set).or_else(written)
}
