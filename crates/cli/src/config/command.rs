//! `silcrow config`, which shows the settings with their sources, and changes a file of settings.

use std::io::{self, Write as _};

use serde_json::{Map, Value, json};
use silcrow_sanitize::sanitize_line;

use super::change::SettingsFile;
use super::edit::{self, KeyPath};
use super::file::{self, ConfigFile};
use super::key::ConfigKey;
use super::value::ConfigValue;
use super::{Config, ConfigSource, FoundValue, places, project};
use crate::args::{ConfigArgs, ConfigCommand};
use crate::environment;
use crate::failure::{Failure, written};
use crate::instructions;
use crate::trust_record::TrustRecord;

/// Runs `silcrow config` or one of its subcommands. `profile` is the typed one.
pub(crate) fn command(profile: Option<&str>, args: &ConfigArgs) -> Result<(), Failure> {
    let load = || Config::load(profile, &args.root, false);
    let output = match &args.command {
        None => {
            let config = load()?;
            project::notify(config.left_out().map(|(file, _)| file));
            let rows = config.rows();
            match args.json {
                true => rows.iter().map(|row| format!("{}\n", row.to_json())).collect(),
                false => rows.iter().map(ConfigRow::to_line).collect(),
            }
        }
        Some(ConfigCommand::Get { key }) => {
            let key = known(key)?;
            let config = load()?;
            let found = config.row(key).value.ok_or_else(|| Failure::running(""))?;
            match args.json {
                true => format!("{}\n", config.row(key).to_json()),
                false => format!("{found}\n"),
            }
        }
        Some(ConfigCommand::Set { key, value, project }) => {
            let key = known(key)?;
            let path = KeyPath { profile, key: key.as_str() };
            change(args, *project, &|text| edit::set(text, &path, key, value))?
        }
        Some(ConfigCommand::Unset { key, project }) => {
            let path = KeyPath { profile, key };
            change(args, *project, &|text| edit::unset(text, &path))?
        }
        Some(ConfigCommand::Path) => {
            let own = file::own_path().into_iter();
            let projects = places::project_folders(&args.root).into_iter();
            let all = own.chain(projects.map(|folder| file::project_path(&folder)));
            all.map(|path| shown(&path.display().to_string()) + "\n").collect()
        }
        Some(ConfigCommand::Trust) => trust(args)?,
        Some(ConfigCommand::Revoke) => revoke(args)?,
    };
    written(io::stdout().write_all(output.as_bytes()))
}

/// One key with what counts for it.
struct ConfigRow {
    key: ConfigKey,
    /// The value, unless it is the default.
    value: Option<String>,
    json: Value,
    source: Option<ConfigSource>,
    /// Whether it comes from a project and only narrows.
    narrows: bool,
}

impl Config {
    /// Returns a line for each key that something sets: its value and where it is from.
    pub(super) fn in_force(&self) -> Vec<String> {
        let line = |row: &ConfigRow| {
            let (value, source) = (row.value.as_ref()?, row.source.as_ref()?);
            let narrows = if row.narrows { ", narrows" } else { "" };
            Some(format!("{}: {value} ({}{narrows})", row.key.as_str(), shown(&source.to_string())))
        };
        self.rows().iter().filter_map(line).collect()
    }

    /// Returns all keys with what counts, and after each what narrows it.
    fn rows(&self) -> Vec<ConfigRow> {
        let rows = ConfigKey::ALL.into_iter().flat_map(|key| {
            let narrowing = self
                .narrowing(key)
                .map(move |found| ConfigRow { narrows: true, ..ConfigRow::new(key, found) });
            // The servers of all files count beside each other.
            let further = self.in_files(key).skip(1).filter(move |_| key == ConfigKey::Mcp);
            let further = further.map(move |found| ConfigRow::new(key, found));
            [self.row(key)].into_iter().chain(further).chain(narrowing)
        });
        rows.collect()
    }

    fn row(&self, key: ConfigKey) -> ConfigRow {
        if let (ConfigKey::Profile, Some((name, source))) = (key, &self.profile) {
            let value = ConfigValue::Text(name.clone());
            return ConfigRow::new(key, FoundValue { value, source: source.clone() });
        }
        let set = key.variable().and_then(|name| Some((name, environment::set(name)?)));
        let set = set.map(|(name, text)| {
            let source = ConfigSource::Environment(name);
            FoundValue { value: ConfigValue::Text(text), source }
        });
        match set.or_else(|| self.in_files(key).next()) {
            Some(found) => ConfigRow::new(key, found),
            None => ConfigRow { key, value: None, json: Value::Null, source: None, narrows: false },
        }
    }
}

impl ConfigRow {
    fn new(key: ConfigKey, found: FoundValue) -> Self {
        let FoundValue { value, source } = found;
        let text = shown(&value.to_string());
        Self { key, value: Some(text), json: value.to_json(), source: Some(source), narrows: false }
    }

    fn to_line(&self) -> String {
        let key = self.key.as_str();
        let value = self.value.as_deref().unwrap_or_else(|| self.key.default());
        let source = self.source.as_ref().map_or_else(|| "default".to_owned(), ToString::to_string);
        let narrows = if self.narrows { ", narrows" } else { "" };
        format!("{key:<KEY$} {value:<VALUE$} {}{narrows}\n", shown(&source))
    }

    fn to_json(&self) -> String {
        let mut row = Map::new();
        row.insert("key".to_owned(), json!(self.key.as_str()));
        row.insert("value".to_owned(), self.json.clone());
        let source = match &self.source {
            None => "default",
            Some(ConfigSource::Flag(_)) => "flag",
            Some(ConfigSource::Environment(_)) => "environment",
            Some(ConfigSource::File { .. }) => "file",
        };
        row.insert("source".to_owned(), json!(source));
        match &self.source {
            Some(ConfigSource::Flag(name) | ConfigSource::Environment(name)) => {
                row.insert("name".to_owned(), json!(name));
            }
            Some(ConfigSource::File { name, line, profile }) => {
                row.insert("name".to_owned(), json!(name));
                row.insert("line".to_owned(), json!(line));
                row.insert("profile".to_owned(), json!(profile));
                row.insert("narrows".to_owned(), json!(self.narrows));
            }
            None => {}
        }
        silcrow_sanitize::escape_json(&Value::Object(row).to_string()).into_owned()
    }
}

/// Returns the key of this name, which may be misspelt.
fn known(name: &str) -> Result<ConfigKey, Failure> {
    ConfigKey::named(name).ok_or_else(|| Failure::given(ConfigKey::unknown(name)))
}

/// Changes the text of the person's file or of the project's.
fn change(
    args: &ConfigArgs,
    in_project: bool,
    changed: &dyn Fn(&str) -> Result<String, Failure>,
) -> Result<String, Failure> {
    SettingsFile::of(&args.root, in_project)?.change(changed)?;
    Ok(String::new())
}

fn trust(args: &ConfigArgs) -> Result<String, Failure> {
    let mut output = String::new();
    let folders = places::project_folders(&args.root);
    for folder in &folders {
        let path = file::project_path(folder);
        let Some(mut file) = ConfigFile::read_project(&path)? else { continue };
        project::trust(&path, &file.text)?;
        output += &format!("{} is trusted until it changes\n", shown(&file.name));
        for (key, setting) in file.take_untrusted() {
            for (key, value) in setting.value.rows(key.as_str()) {
                output += &format!("  {:<KEY$} {}\n", shown(&key), shown(&value));
            }
        }
    }
    for line in instructions::trust(&folders)? {
        output += &format!("{}\n", shown(&line));
    }
    match output.is_empty() {
        true => Err(Failure::given("this project has no file of settings, and no AGENTS.md")),
        false => Ok(output),
    }
}

fn revoke(args: &ConfigArgs) -> Result<String, Failure> {
    let record = TrustRecord::find()?;
    let mut output = String::new();
    let folders = places::project_folders(&args.root);
    for folder in &folders {
        let path = file::project_path(folder);
        if record.revoke(&path)? {
            let name = shown(&path.display().to_string());
            output += &format!("{name} is no longer trusted\n");
        }
    }
    for line in instructions::revoke(&folders)? {
        output += &format!("{}\n", shown(&line));
    }
    match output.is_empty() {
        true => Ok("no file of this project was trusted\n".to_owned()),
        false => Ok(output),
    }
}

fn shown(text: &str) -> String {
    sanitize_line(text).into_owned()
}

/// The number of columns of a key.
const KEY: usize = 20;

/// The least number of columns of a value.
const VALUE: usize = 24;
