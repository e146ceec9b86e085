//! One file of settings: read, checked, and with the line of each setting.
//!
//! This module reads one file. Others combine the files.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use silcrow_policy::{PolicyFile, PolicyOwner};
use silcrow_tool::closest_names;

use super::key::{ProjectRight, SettingKey};
use super::value::{SettingValue, check_secrets};
use crate::error::Error;
use crate::file_folder::FileFolder;
use crate::folders::config_folder;
use crate::mcp::read_servers;
use crate::owned;
use crate::toml_source::TomlSource;
use silcrow_environment::Environment;

/// The checked contents of a file of settings.
#[derive(Clone, Debug)]
pub(crate) struct SettingsDocument {
    /// The path, for messages.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) table: SettingsTable,
    pub(crate) profiles: BTreeMap<String, SettingsTable>,
}

/// The settings of a file or of one profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingsTable {
    pub(crate) settings: BTreeMap<SettingKey, WrittenSetting>,
    /// The mode and the rules that are written in the file itself.
    pub(crate) policy: Option<PolicyFile>,
}

/// A value with its line.
#[derive(Clone, Debug)]
pub(crate) struct WrittenSetting {
    pub(crate) value: SettingValue,
    pub(crate) line: usize,
}

impl SettingsDocument {
    /// Reads the person's own file, if it exists. No other user may be able to write to it.
    pub(crate) fn read_own(path: &Path, environment: &Environment) -> Result<Option<Self>, Error> {
        let text = path.canonicalize().and_then(|path| owned::read(&path));
        match text {
            Ok(text) => Self::parse(path, text, PolicyOwner::Person, environment).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => Ok(None),
            Err(error) => Err(Error::unreadable(&path.display().to_string(), &error)),
        }
    }

    /// Reads the file of a project, if it exists. Anybody may have written it.
    pub(crate) fn read_project(
        path: &Path,
        environment: &Environment,
    ) -> Result<Option<Self>, Error> {
        let wrong = |error| Error::unreadable(&path.display().to_string(), &error);
        // The tools protect the folder by its name, so it must not lead elsewhere.
        if path.parent().is_some_and(Path::is_symlink) {
            return Err(wrong(std::io::Error::other("its folder is a link")));
        }
        match owned::read_foreign(path) {
            Ok(text) => Self::parse(path, text, PolicyOwner::Project, environment).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(wrong(error)),
        }
    }

    /// Checks the text of a file.
    pub(crate) fn parse(
        path: &Path,
        text: String,
        owner: PolicyOwner,
        environment: &Environment,
    ) -> Result<Self, Error> {
        let name = path.display().to_string();
        let at = FileFolder { folder: path.parent().unwrap_or(path), environment };
        let source = TomlSource::parse(&name, &text)?;
        let written: toml::Table = source.read()?;
        let reader = TableReader { source: &source, text: &text, name: &name, at, owner };
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
        if let Some(chosen) = file.table.settings.get(&SettingKey::Profile) {
            file.profile(&chosen.value.to_string())?;
        }
        Ok(file)
    }

    /// Returns the profile of this name.
    pub(crate) fn profile(&self, name: &str) -> Result<&SettingsTable, Error> {
        self.profiles.get(name).ok_or_else(|| {
            let hint = match closest_names(name, self.profiles.keys().map(String::as_str)).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it begins with a line [profiles.{name}]"),
            };
            Error::invalid(format!("unknown profile `{name}` in {}; {hint}", self.name))
        })
    }

    /// Takes out the settings that count only if the person trusts the file.
    pub(crate) fn take_untrusted(&mut self) -> BTreeMap<SettingKey, WrittenSetting> {
        let all = std::mem::take(&mut self.table.settings);
        let (untrusted, rest) = all
            .into_iter()
            .partition(|(key, _)| key.right_of_project() == ProjectRight::SetsIfTrusted);
        self.table.settings = rest;
        untrusted
    }
}

/// The file whose tables are read.
struct TableReader<'a> {
    source: &'a TomlSource<'a>,
    text: &'a str,
    name: &'a str,
    at: FileFolder<'a>,
    owner: PolicyOwner,
}

impl TableReader<'_> {
    /// Reads a table of settings. `path` has the keys that lead to it.
    fn table(&self, written: &toml::Table, path: &[&str]) -> Result<SettingsTable, Error> {
        let mut table = SettingsTable::default();
        for (name, value) in written {
            match (&**name, path) {
                (PROFILES, []) => {}
                ("policy", _) if value.is_table() => {
                    table.policy = self.policy(path)?;
                    self.set(&mut table, path, SettingKey::Policy, value)?;
                    if let Some(mode) = value.get("mode") {
                        self.set(&mut table, path, SettingKey::PolicyMode, mode)?;
                    }
                }
                (MCP, _) => self.servers(&mut table, path, value)?,
                (SAMPLING, _) => self.sampling(&mut table, path, value)?,
                _ => {
                    let field = dotted(path, name);
                    let key = SettingKey::named(name)
                        .filter(|key| *key != SettingKey::Profile || path.is_empty())
                        .ok_or_else(|| self.source.wrong(&field, SettingKey::unknown(name)))?;
                    self.set(&mut table, path, key, value)?;
                }
            }
        }
        Ok(table)
    }

    /// Reads the table of sampling parameters.
    fn sampling(
        &self,
        table: &mut SettingsTable,
        path: &[&str],
        written: &toml::Value,
    ) -> Result<(), Error> {
        let Some(values) = written.as_table() else {
            let why = "write each value below a line [sampling]";
            return Err(self.source.wrong(&dotted(path, SAMPLING), why));
        };
        for (name, value) in values {
            let name = format!("{SAMPLING}.{name}");
            let key = SettingKey::named(&name).ok_or_else(|| {
                self.source.wrong(&dotted(path, &name), SettingKey::unknown(&name))
            })?;
            self.set(table, path, key, value)?;
        }
        Ok(())
    }

    /// Reads the table of MCP servers.
    fn servers(
        &self,
        table: &mut SettingsTable,
        path: &[&str],
        written: &toml::Value,
    ) -> Result<(), Error> {
        let field = |below: &str| {
            let dot = if below.is_empty() { "" } else { "." };
            format!("{}{dot}{below}", dotted(path, MCP))
        };
        let line = |name: &str| format!("{}:{}", self.name, self.source.line(&field(name)));
        check_secrets(written).map_err(|why| self.source.wrong(&field(""), why))?;
        let is_project = self.owner == PolicyOwner::Project;
        let servers = read_servers(written, self.at, is_project, &line);
        let servers = servers.map_err(|(below, why)| self.source.wrong(&field(&below), why))?;
        let setting = WrittenSetting {
            value: SettingValue::Servers(servers),
            line: self.source.line(&field("")),
        };
        table.settings.insert(SettingKey::Mcp, setting);
        Ok(())
    }

    fn set(
        &self,
        table: &mut SettingsTable,
        path: &[&str],
        key: SettingKey,
        value: &toml::Value,
    ) -> Result<(), Error> {
        let field = dotted(path, key.as_str());
        let wrong = |why: String| self.source.wrong(&field, why);
        if self.owner == PolicyOwner::Project {
            self.check_right(key, value).map_err(wrong)?;
        }
        let value = SettingValue::read(key, value, self.at).map_err(wrong)?;
        table.settings.insert(key, WrittenSetting { value, line: self.source.line(&field) });
        Ok(())
    }

    /// Returns an error for a key that the file of a project cannot have.
    fn check_right(&self, key: SettingKey, value: &toml::Value) -> Result<(), String> {
        if key.right_of_project() == ProjectRight::Nothing {
            return Err(match key {
                SettingKey::LearnProfile => {
                    "the person decides what is noted of them, not a project"
                }
                SettingKey::TitleModel => {
                    "the person decides which model reads a conversation for a title, not a project"
                }
                SettingKey::OtlpEndpoint
                | SettingKey::OtlpContents
                | SettingKey::OtlpWholeInput => "the person decides who sees runs, not a project",
                _ => "the person chooses the profile, and not a project",
            }
            .to_owned());
        }
        if key == SettingKey::Policy && value.is_str() {
            return Err("a project names no policy file; write a table [policy], or the file \
                        silcrow-policy.toml"
                .to_owned());
        }
        if key == SettingKey::Instructions && value.as_bool() == Some(true) {
            return Err("a project can only leave its instructions out; write false".to_owned());
        }
        Ok(())
    }

    fn policy(&self, path: &[&str]) -> Result<Option<PolicyFile>, Error> {
        let path = [path, &["policy"]].concat();
        Ok(PolicyFile::parse_table(self.name, self.text, &path, self.owner)?)
    }
}

fn dotted(path: &[&str], name: &str) -> String {
    let path = path.iter().map(|key| format!("{key}.")).collect::<String>();
    format!("{path}{name}")
}

/// Returns the path of the person's own file, which may not exist.
pub fn own_path(environment: &Environment) -> Option<PathBuf> {
    config_folder(environment).map(|folder| folder.join(FILE))
}

/// Returns the path of the file of the project in a folder, which may not exist.
pub fn project_path(folder: &Path) -> PathBuf {
    folder.join(PROJECT_FOLDER).join(FILE)
}

/// The name of the folder of a project's settings, which tools do not change.
pub const PROJECT_FOLDER: &str = ".silcrow";

const FILE: &str = "config.toml";

const PROFILES: &str = "profiles";

const SAMPLING: &str = "sampling";

const MCP: &str = "mcp";
