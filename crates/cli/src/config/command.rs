//! `silcrow config`, which shows the settings with their sources, and changes a file of settings.

use std::io::{self, Write as _};

use serde_json::{Map, Value, json};
use silcrow_sanitize::sanitize_line;
use silcrow_session::{revoke_hooks, revoke_skills, trust_hooks, trust_skills};
use silcrow_settings::{
    Environment, FileSettings, SettingEntry, SettingKey, SettingSource, SettingValue,
    SettingsEditor, TrustRecord, project_folders, project_path,
};

use super::trust::{load, notify};
use crate::args::{ConfigArgs, ConfigCommand};
use crate::failure::{Failure, written};
use crate::instructions;

/// Runs `silcrow config` or one of its subcommands. `profile` is the typed one.
pub(crate) fn command(profile: Option<&str>, args: &ConfigArgs) -> Result<(), Failure> {
    let load = || load(profile, &args.root, false);
    let output = match &args.command {
        None => {
            let files = load()?;
            notify(&files);
            let entries = files.entries();
            match args.json {
                true => entries.iter().map(|entry| format!("{}\n", to_json(entry))).collect(),
                false => entries.iter().map(to_line).collect(),
            }
        }
        Some(ConfigCommand::Get { key }) => {
            let key = known(key)?;
            let entry = load()?.entry(key);
            if entry.value.is_none() {
                return Err(Failure::running(""));
            }
            match args.json {
                true => format!("{}\n", to_json(&entry)),
                false => format!("{}\n", entry.shown()),
            }
        }
        Some(ConfigCommand::Set { key, value, project }) => {
            let key = known(key)?;
            editor(args, *project)?.set(profile, key, value)?;
            String::new()
        }
        Some(ConfigCommand::Unset { key, project }) => {
            editor(args, *project)?.unset(profile, key)?;
            String::new()
        }
        Some(ConfigCommand::Path) => {
            let all = FileSettings::paths(&Environment::process(), &args.root).into_iter();
            all.map(|path| shown(&path.display().to_string()) + "\n").collect()
        }
        Some(ConfigCommand::Trust) => trust(args)?,
        Some(ConfigCommand::Revoke) => revoke(args)?,
    };
    written(io::stdout().write_all(output.as_bytes()))
}

/// Returns a line for each key that has a value: the value and its origin.
pub(crate) fn in_force(files: &FileSettings) -> Vec<String> {
    let entries = files.entries().into_iter().filter(|entry| entry.value.is_some());
    let line = |entry: SettingEntry| {
        let narrows = if entry.narrows { ", narrows" } else { "" };
        let source = shown(&entry.source.to_string());
        format!("{}: {} ({source}{narrows})", entry.key.as_str(), entry.shown())
    };
    entries.map(line).collect()
}

fn to_line(entry: &SettingEntry) -> String {
    let key = entry.key.as_str();
    let (value, source) = (entry.shown(), shown(&entry.source.to_string()));
    let narrows = if entry.narrows { ", narrows" } else { "" };
    format!("{key:<KEY$} {value:<VALUE$} {source}{narrows}\n")
}

fn to_json(entry: &SettingEntry) -> String {
    let mut row = Map::new();
    row.insert("key".to_owned(), json!(entry.key.as_str()));
    let value = entry.value.as_ref().map_or(Value::Null, SettingValue::to_json);
    row.insert("value".to_owned(), value);
    row.insert("source".to_owned(), json!(entry.source.as_str()));
    match &entry.source {
        SettingSource::Flag(name) | SettingSource::Environment(name) => {
            row.insert("name".to_owned(), json!(name));
        }
        SettingSource::File { name, line, profile } => {
            row.insert("name".to_owned(), json!(name));
            row.insert("line".to_owned(), json!(line));
            row.insert("profile".to_owned(), json!(profile));
            row.insert("narrows".to_owned(), json!(entry.narrows));
        }
        _ => {}
    }
    silcrow_sanitize::escape_json(&Value::Object(row).to_string()).into_owned()
}

/// Returns the key of this name, which may be misspelt.
fn known(name: &str) -> Result<SettingKey, Failure> {
    SettingKey::named(name).ok_or_else(|| Failure::given(SettingKey::unknown(name)))
}

/// Returns the editor of the person's file or of the project's.
fn editor(args: &ConfigArgs, in_project: bool) -> Result<SettingsEditor, Failure> {
    let environment = Environment::process();
    Ok(match in_project {
        true => SettingsEditor::of_project(&args.root, &environment)?,
        false => SettingsEditor::of_person(&environment)?,
    })
}

fn trust(args: &ConfigArgs) -> Result<String, Failure> {
    let mut output = String::new();
    for file in FileSettings::trust_projects(&Environment::process(), &args.root)? {
        output += &format!("{} is trusted until it changes\n", shown(&file.name));
        for (key, value) in file.rows {
            output += &format!("  {:<KEY$} {}\n", shown(&key), shown(&value));
        }
    }
    for line in instructions::trust(&project_folders(&args.root))? {
        output += &format!("{}\n", shown(&line));
    }
    let folders = project_folders(&args.root);
    for line in trust_skills(&folders)?.into_iter().chain(trust_hooks(&folders)?) {
        output += &format!("{}\n", shown(&line));
    }
    match output.is_empty() {
        true => {
            Err(Failure::given("this project has no file of settings, no hooks, and no AGENTS.md"))
        }
        false => Ok(output),
    }
}

fn revoke(args: &ConfigArgs) -> Result<String, Failure> {
    let record = TrustRecord::find()?;
    let mut output = String::new();
    let folders = project_folders(&args.root);
    for folder in &folders {
        let path = project_path(folder);
        if record.revoke(&path)? {
            let name = shown(&path.display().to_string());
            output += &format!("{name} is no longer trusted\n");
        }
    }
    for line in instructions::revoke(&folders)? {
        output += &format!("{}\n", shown(&line));
    }
    for line in revoke_skills(&folders)?.into_iter().chain(revoke_hooks(&folders)?) {
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
