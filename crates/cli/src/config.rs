//! The settings of a person and of a project, and which of them counts.
//!
//! This module knows the files and their order: a flag, the environment, the profile, the files of
//! the project from the root up to its repository, and the person's own file. What a project says
//! can narrow permissions, and otherwise counts only where it sends nothing elsewhere, or once the
//! person trusts the file. `settle` puts what counts into the arguments of a command, so that no
//! other module reads a file of settings.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use silcrow_policy::PolicyFile;

use crate::environment;
use crate::failure::Failure;
use crate::mcp::DeclaredServer;

mod change;
mod command;
mod edit;
mod file;
mod first_model;
mod key;
mod overview;
mod places;
mod project;
mod sampling;
mod settle;
mod value;

pub(crate) use change::SettingsFile;
pub(crate) use command::command;
pub(crate) use overview::ConfigOverview;
pub(crate) use places::project_folders;
pub(crate) use settle::settle;

use file::{ConfigFile, ConfigTable, Setting};
use key::{ConfigKey, ProjectRight};
use project::ProjectFile;
use value::ConfigValue;

/// The settings that count for a command.
pub(crate) struct Config {
    /// The profile that was chosen, with where it was chosen.
    profile: Option<(String, ConfigSource)>,
    own: Option<ConfigFile>,
    /// The files of the project, the nearest first.
    projects: Vec<ProjectFile>,
}

/// Where the value of a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConfigSource {
    Flag(&'static str),
    Environment(&'static str),
    File { name: String, line: usize, profile: Option<String> },
}

/// A value that counts.
struct FoundValue {
    value: ConfigValue,
    source: ConfigSource,
}

impl Config {
    /// Reads the settings for a command whose tools see `root`. A person at a terminal is asked
    /// about a project that is not trusted yet if `asks` is set.
    pub(crate) fn load(typed: Option<&str>, root: &Path, asks: bool) -> Result<Self, Failure> {
        let own = match file::own_path() {
            Some(path) => ConfigFile::read_own(&path)?,
            None => None,
        };
        let profile = profile(typed, own.as_ref());
        if let (Some((name, source)), None) = (&profile, &own) {
            return Err(Failure::given(format!(
                "there is no profile `{name}` ({source}), because you have no file of settings"
            )));
        }
        if let (Some((name, _)), Some(own)) = (&profile, &own) {
            own.profile(name)?;
        }
        let folders = project_folders(root).into_iter();
        let files = folders.map(|folder| ProjectFile::read(&folder, asks));
        let projects = files.filter_map(Result::transpose).collect::<Result<_, _>>()?;
        Ok(Self { profile, own, projects })
    }

    /// Returns the tables of the person, the one that counts first.
    fn own_tables(&self) -> impl Iterator<Item = (&ConfigFile, Option<&str>, &ConfigTable)> {
        let own = self.own.as_ref();
        let profile = own
            .zip(self.profile.as_ref())
            .and_then(|(own, (name, _))| Some((own, Some(&**name), own.profiles.get(name)?)));
        profile.into_iter().chain(own.map(|own| (own, None, &own.table)))
    }

    /// Returns what the files say about a key, the setting that counts first. Those of a project
    /// that can only narrow are left out.
    fn in_files(&self, key: ConfigKey) -> impl Iterator<Item = FoundValue> {
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

    /// Returns what the files of the project say about a key that they can only narrow.
    fn narrowing(&self, key: ConfigKey) -> impl Iterator<Item = FoundValue> {
        let is_narrowed = key.right_of_project() == ProjectRight::Narrows;
        let files = self.projects.iter().filter(move |_| is_narrowed).map(|project| &project.file);
        files.filter_map(move |file| Some(found(file, None, file.table.settings.get(&key)?)))
    }

    /// Returns the value from files that counts for a key, unless the environment has one.
    fn find(&self, key: ConfigKey) -> Option<FoundValue> {
        let is_overridden = key.variable().is_some_and(|name| environment::set(name).is_some());
        if is_overridden { None } else { self.in_files(key).next() }
    }

    fn text(&self, key: ConfigKey) -> Option<String> {
        match self.find(key)?.value {
            ConfigValue::Text(text) => Some(text),
            _ => None,
        }
    }

    fn count(&self, key: ConfigKey) -> Option<u32> {
        match self.find(key)?.value {
            ConfigValue::Count(count) => Some(count),
            _ => None,
        }
    }

    fn word<T: FromStr>(&self, key: ConfigKey) -> Option<T> {
        self.text(key)?.parse().ok()
    }

    fn path(&self, key: ConfigKey) -> Option<PathBuf> {
        match self.find(key)?.value {
            ConfigValue::Path(path) => Some(path),
            _ => None,
        }
    }

    fn switch(&self, key: ConfigKey) -> Option<bool> {
        match self.find(key)?.value {
            ConfigValue::Switch(is_on) => Some(is_on),
            _ => None,
        }
    }

    /// Returns the policy file that the settings of the person name. Their own rules count beside it.
    fn policy_path(&self) -> Option<PathBuf> {
        self.in_files(ConfigKey::Policy).find_map(|found| match found.value {
            ConfigValue::Path(path) => Some(path),
            _ => None,
        })
    }

    /// Returns the MCP servers of all files. A name that the person's own files have is theirs, also
    /// where a project has it.
    fn servers(&self) -> Vec<DeclaredServer> {
        let own = self.own_tables().map(|(_, _, table)| table);
        let projects = self.projects.iter().map(|project| &project.file.table);
        let mut servers: Vec<DeclaredServer> = Vec::new();
        for table in own.chain(projects) {
            let setting = table.settings.get(&ConfigKey::Mcp).map(|setting| &setting.value);
            let Some(ConfigValue::Servers(found)) = setting else { continue };
            for server in found {
                if servers.iter().all(|known| known.name != server.name) {
                    servers.push(server.clone());
                }
            }
        }
        servers
    }

    /// Returns the rules of the person's file and then those of the profile.
    fn own_policies(&self) -> Vec<PolicyFile> {
        let mut policies: Vec<_> =
            self.own_tables().filter_map(|(_, _, table)| table.policy.clone()).collect();
        policies.reverse();
        policies
    }

    /// Returns the rules of the project, which only narrow.
    fn project_policies(&self) -> Vec<PolicyFile> {
        self.projects.iter().filter_map(|project| project.file.table.policy.clone()).collect()
    }

    /// Returns the settings of the project that do not count, because the person does not trust the
    /// file.
    fn left_out(&self) -> impl Iterator<Item = (&ProjectFile, &BTreeMap<ConfigKey, Setting>)> {
        let files = self.projects.iter().filter(|project| !project.left_out.is_empty());
        files.map(|project| (project, &project.left_out))
    }
}

impl Display for ConfigSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Environment(name) => f.write_str(name),
            Self::File { name, line, profile: None } => write!(f, "{name}:{line}"),
            Self::File { name, line, profile: Some(profile) } => {
                write!(f, "{name}:{line} (profile {profile})")
            }
        }
    }
}

/// Returns the paths that tools do not change: the folder of the project's settings in this root,
/// and the person's own file. They may not exist.
pub(crate) fn protected_paths(root: &Path) -> impl Iterator<Item = (PathBuf, &'static str)> {
    let project = (root.join(file::FOLDER), "the settings of this root");
    [project].into_iter().chain(file::own_path().map(|path| (path, "your settings")))
}

fn found(file: &ConfigFile, profile: Option<&str>, setting: &Setting) -> FoundValue {
    let source = ConfigSource::File {
        name: file.name.clone(),
        line: setting.line,
        profile: profile.map(str::to_owned),
    };
    FoundValue { value: setting.value.clone(), source }
}

/// Returns the profile that was chosen: by the flag, in the environment, or in the person's file.
fn profile(typed: Option<&str>, own: Option<&ConfigFile>) -> Option<(String, ConfigSource)> {
    let typed = typed.map(|name| (name.to_owned(), ConfigSource::Flag("--profile")));
    let set = || {
        let variable = ConfigKey::Profile.variable()?;
        Some((environment::set(variable)?, ConfigSource::Environment(variable)))
    };
    let written = || {
        let own = own?;
        let FoundValue { value, source } =
            found(own, None, own.table.settings.get(&ConfigKey::Profile)?);
        Some((value.to_string(), source))
    };
    typed.or_else(set).or_else(written)
}
