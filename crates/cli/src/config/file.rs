//! One file of settings: read, checked, and with the line of each setting.
//!
//! This module knows what a file may say. It does not know which other files there are.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use silcrow_exec::closest_names;
use silcrow_policy::{PolicyFile, PolicyOwner};

use super::key::{ConfigKey, ProjectRight};
use super::value::{ConfigValue, check_secrets};
use crate::failure::Failure;
use crate::input::unreadable;
use crate::mcp::read_servers;
use crate::owned;
use crate::places::config_folder;
use crate::toml_source::TomlSource;

/// The checked contents of a file of settings.
#[derive(Clone, Debug)]
pub(super) struct ConfigFile {
    /// The path, for messages.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) table: ConfigTable,
    pub(super) profiles: BTreeMap<String, ConfigTable>,
}

/// The settings of a file or of one profile.
#[derive(Clone, Debug, Default)]
pub(super) struct ConfigTable {
    pub(super) settings: BTreeMap<ConfigKey, Setting>,
    /// The mode and the rules that are written in the file itself.
    pub(super) policy: Option<PolicyFile>,
}

/// A value with its line.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) value: ConfigValue,
    pub(super) line: usize,
}

impl ConfigFile {
    /// Reads the person's own file, if it exists. Nobody else may be able to write it.
    pub(super) fn read_own(path: &Path) -> Result<Option<Self>, Failure> {
        let text = path.canonicalize().and_then(|path| owned::read(&path));
        match text {
            Ok(text) => Self::parse(path, text, PolicyOwner::Person).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => Ok(None),
            Err(error) => Err(unreadable(&path.display().to_string(), &error)),
        }
    }

    /// Reads the file of a project, if it exists, which anybody may have written.
    pub(super) fn read_project(path: &Path) -> Result<Option<Self>, Failure> {
        let wrong = |error| unreadable(&path.display().to_string(), &error);
        // The tools protect the folder by its name, so it must not lead elsewhere.
        if path.parent().is_some_and(Path::is_symlink) {
            return Err(wrong(std::io::Error::other("its folder is a link")));
        }
        match owned::read_foreign(path) {
            Ok(text) => Self::parse(path, text, PolicyOwner::Project).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(wrong(error)),
        }
    }

    /// Checks the text of a file.
    pub(super) fn parse(path: &Path, text: String, owner: PolicyOwner) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let folder = path.parent().unwrap_or(path);
        let source = TomlSource::parse(&name, &text)?;
        let written: toml::Table = source.read()?;
        let reader = TableReader { source: &source, text: &text, name: &name, folder, owner };
        let table = reader.table(&written, &[])?;
        let mut profiles = BTreeMap::new();
        if let Some(declared) = written.get(PROFILES) {
            let shape = "write each profile below a line [profiles.NAME]";
            if owner == PolicyOwner::Project {
                let why = "profiles are the person's own; a project has one file of settings";
                return Err(source.wrong(PROFILES, why));
            }
            let declared = declared.as_table().ok_or_else(|| source.wrong(PROFILES, shape))?;
            for (profile, settings) in declared {
                let path = format!("{PROFILES}.{profile}");
                let settings = settings.as_table().ok_or_else(|| source.wrong(&path, shape))?;
                let table = reader.table(settings, &[PROFILES, profile])?;
                profiles.insert(profile.clone(), table);
            }
        }
        let file = Self { name, text, table, profiles };
        if let Some(chosen) = file.table.settings.get(&ConfigKey::Profile) {
            file.profile(&chosen.value.to_string())?;
        }
        Ok(file)
    }

    /// Returns the profile of this name.
    pub(super) fn profile(&self, name: &str) -> Result<&ConfigTable, Failure> {
        self.profiles.get(name).ok_or_else(|| {
            let hint = match closest_names(name, self.profiles.keys().map(String::as_str)).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it begins with a line [profiles.{name}]"),
            };
            Failure::given(format!("there is no profile `{name}` in {}: {hint}", self.name))
        })
    }

    /// Takes out the settings that count only if the person trusts the file.
    pub(super) fn take_untrusted(&mut self) -> BTreeMap<ConfigKey, Setting> {
        let all = std::mem::take(&mut self.table.settings);
        let (untrusted, rest) = all
            .into_iter()
            .partition(|(key, _)| key.right_of_project() == ProjectRight::SetsIfTrusted);
        self.table.settings = rest;
        untrusted
    }
}

/// The file of which tables are read.
struct TableReader<'a> {
    source: &'a TomlSource<'a>,
    text: &'a str,
    name: &'a str,
    folder: &'a Path,
    owner: PolicyOwner,
}

impl TableReader<'_> {
    /// Reads a table of settings. `path` has the keys that lead to it.
    fn table(&self, written: &toml::Table, path: &[&str]) -> Result<ConfigTable, Failure> {
        let mut table = ConfigTable::default();
        for (name, value) in written {
            match (&**name, path) {
                (PROFILES, []) => {}
                ("policy", _) if value.is_table() => {
                    table.policy = self.policy(path)?;
                    self.set(&mut table, path, ConfigKey::Policy, value)?;
                    if let Some(mode) = value.get("mode") {
                        self.set(&mut table, path, ConfigKey::PolicyMode, mode)?;
                    }
                }
                (MCP, _) => self.servers(&mut table, path, value)?,
                (SAMPLING, _) => self.sampling(&mut table, path, value)?,
                _ => {
                    let field = dotted(path, name);
                    let key = ConfigKey::named(name)
                        .filter(|key| *key != ConfigKey::Profile || path.is_empty())
                        .ok_or_else(|| self.source.wrong(&field, ConfigKey::unknown(name)))?;
                    self.set(&mut table, path, key, value)?;
                }
            }
        }
        Ok(table)
    }

    /// Reads the table of how the model writes.
    fn sampling(
        &self,
        table: &mut ConfigTable,
        path: &[&str],
        written: &toml::Value,
    ) -> Result<(), Failure> {
        let Some(values) = written.as_table() else {
            let why = "write each value below a line [sampling]";
            return Err(self.source.wrong(&dotted(path, SAMPLING), why));
        };
        for (name, value) in values {
            let name = format!("{SAMPLING}.{name}");
            let key = ConfigKey::named(&name).ok_or_else(|| {
                self.source.wrong(&dotted(path, &name), ConfigKey::unknown(&name))
            })?;
            self.set(table, path, key, value)?;
        }
        Ok(())
    }

    /// Reads the table of MCP servers.
    fn servers(
        &self,
        table: &mut ConfigTable,
        path: &[&str],
        written: &toml::Value,
    ) -> Result<(), Failure> {
        let field = |below: &str| {
            let dot = if below.is_empty() { "" } else { "." };
            format!("{}{dot}{below}", dotted(path, MCP))
        };
        let line = |name: &str| format!("{}:{}", self.name, self.source.line(&field(name)));
        check_secrets(written).map_err(|why| self.source.wrong(&field(""), why))?;
        let is_project = self.owner == PolicyOwner::Project;
        let servers = read_servers(written, self.folder, is_project, &line);
        let servers = servers.map_err(|(below, why)| self.source.wrong(&field(&below), why))?;
        let setting =
            Setting { value: ConfigValue::Servers(servers), line: self.source.line(&field("")) };
        table.settings.insert(ConfigKey::Mcp, setting);
        Ok(())
    }

    fn set(
        &self,
        table: &mut ConfigTable,
        path: &[&str],
        key: ConfigKey,
        value: &toml::Value,
    ) -> Result<(), Failure> {
        let field = dotted(path, key.as_str());
        let wrong = |why: String| self.source.wrong(&field, why);
        if self.owner == PolicyOwner::Project {
            self.check_right(key, value).map_err(wrong)?;
        }
        let value = ConfigValue::read(key, value, self.folder).map_err(wrong)?;
        table.settings.insert(key, Setting { value, line: self.source.line(&field) });
        Ok(())
    }

    /// Returns an error for a key that the file of a project cannot have.
    fn check_right(&self, key: ConfigKey, value: &toml::Value) -> Result<(), String> {
        if key.right_of_project() == ProjectRight::Nothing {
            return Err(match key {
                ConfigKey::LearnProfile => {
                    "the person decides what is noted of them, not a project"
                }
                ConfigKey::TitleModel => {
                    "the person decides which model reads a conversation for a title, not a project"
                }
                ConfigKey::OtlpEndpoint | ConfigKey::OtlpContents => {
                    "the person decides who sees runs, not a project"
                }
                _ => "the person chooses the profile, and not a project",
            }
            .to_owned());
        }
        if key == ConfigKey::Policy && value.is_str() {
            return Err("a project names no policy file; write a table [policy], or the file \
                        silcrow-policy.toml"
                .to_owned());
        }
        if key == ConfigKey::Instructions && value.as_bool() == Some(true) {
            return Err("a project can only leave its instructions out; write false".to_owned());
        }
        Ok(())
    }

    fn policy(&self, path: &[&str]) -> Result<Option<PolicyFile>, Failure> {
        let path = [path, &["policy"]].concat();
        PolicyFile::parse_table(self.name, self.text, &path, self.owner).map_err(|error| {
            Failure::given(error.to_string()).named(error.kind().as_str(), error.is_retryable())
        })
    }
}

fn dotted(path: &[&str], name: &str) -> String {
    let path = path.iter().map(|key| format!("{key}.")).collect::<String>();
    format!("{path}{name}")
}

/// Returns the path of the person's own file, which may not exist.
pub(super) fn own_path() -> Option<PathBuf> {
    config_folder().map(|folder| folder.join(FILE))
}

/// Returns the path of the file of the project in a folder, which may not exist.
pub(super) fn project_path(folder: &Path) -> PathBuf {
    folder.join(FOLDER).join(FILE)
}

/// The folder of a project's settings, which tools do not change.
pub(super) const FOLDER: &str = ".silcrow";

const FILE: &str = "config.toml";

const PROFILES: &str = "profiles";

const SAMPLING: &str = "sampling";

const MCP: &str = "mcp";
