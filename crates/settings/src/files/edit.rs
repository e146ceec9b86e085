//! Changes of a file of settings that keep its comments and the order of its lines.
//!
//! This module edits the text of TOML, and does not check values.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use silcrow_policy::PolicyOwner;
use silcrow_system::set_mode;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use super::key::{SettingKey, ValueKind};
use crate::error::Error;
use crate::owned;
use crate::tool_choice::ToolChoice;

/// The place of a key in a file.
pub(crate) struct KeyPath<'a> {
    pub(crate) profile: Option<&'a str>,
    /// The key, with dots between its tables.
    pub(crate) key: &'a str,
}

impl KeyPath<'_> {
    /// Returns the names of the tables, and of the key in the last of them.
    fn parts(&self) -> (Vec<&str>, &str) {
        let mut parts: Vec<_> = self.key.split('.').collect();
        let key = parts.pop().unwrap_or_default();
        let profile = self.profile.map(|profile| ["profiles", profile]);
        (profile.into_iter().flatten().chain(parts).collect(), key)
    }
}

/// Returns the text with another value of a key.
pub(crate) fn set(
    text: &str,
    path: &KeyPath<'_>,
    key: SettingKey,
    typed: &str,
) -> Result<String, Error> {
    let mut document = parse(text)?;
    let (tables, name) = path.parts();
    let mut table = document.as_table_mut() as &mut dyn toml_edit::TableLike;
    for part in &tables {
        let inner = table.entry(part).or_insert_with(|| {
            let mut table = Table::new();
            // A line `[profiles]` above `[profiles.work]` would say nothing.
            table.set_implicit(true);
            Item::Table(table)
        });
        table = inner.as_table_like_mut().ok_or_else(|| {
            let why = format!("`{part}` is not a table in this file; unset it first");
            Error::invalid(why)
        })?;
    }
    let mut value = value(key, typed)?;
    match table.get_mut(name) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(Item::Table(_) | Item::ArrayOfTables(_)) => {
            let why = format!("`{name}` is a table in this file; edit it by hand, or unset it");
            return Err(Error::invalid(why));
        }
        _ => {
            table.insert(name, Item::Value(value));
        }
    }
    Ok(rendered(&document, text))
}

/// Returns the text without a key. A table that is empty after that is removed, too.
pub(crate) fn unset(text: &str, path: &KeyPath<'_>) -> Result<String, Error> {
    let mut document = parse(text)?;
    let (tables, name) = path.parts();
    if !remove(document.as_table_mut(), &tables, name) {
        return Err(Error::invalid(format!("`{}` is not set in this file", path.key)));
    }
    Ok(rendered(&document, text))
}

/// Returns the text with a further table `[parent.name]`.
pub(crate) fn add_table(
    text: &str,
    parent: &str,
    name: &str,
    table: Table,
) -> Result<String, Error> {
    let mut document = parse(text)?;
    let outer = document.as_table_mut().entry(parent).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let outer = outer.as_table_like_mut().ok_or_else(|| {
        Error::invalid(format!("`{parent}` is not a table in this file; edit it by hand"))
    })?;
    if outer.contains_key(name) {
        let why = format!("`{parent}.{name}` is in this file already; remove it first");
        return Err(Error::invalid(why));
    }
    outer.insert(name, Item::Table(table));
    Ok(rendered(&document, text))
}

/// Returns the text without a table `[parent.name]`.
pub(crate) fn remove_table(text: &str, parent: &str, name: &str) -> Result<String, Error> {
    let mut document = parse(text)?;
    if !remove(document.as_table_mut(), &[parent], name) {
        return Err(Error::invalid(format!("`{parent}.{name}` is not in this file")));
    }
    Ok(rendered(&document, text))
}

fn remove(table: &mut dyn toml_edit::TableLike, tables: &[&str], name: &str) -> bool {
    let [first, rest @ ..] = tables else { return table.remove(name).is_some() };
    let Some(inner) = table.get_mut(first).and_then(Item::as_table_like_mut) else { return false };
    let is_removed = remove(inner, rest, name);
    if is_removed && inner.is_empty() {
        table.remove(first);
    }
    is_removed
}

/// Returns the text of a file, or an empty text for a file that does not exist.
pub(crate) fn text(path: &Path, owner: PolicyOwner) -> Result<String, Error> {
    let read = match owner {
        PolicyOwner::Person => path.canonicalize().and_then(|path| owned::read(&path)),
        PolicyOwner::Project => owned::read_foreign(path),
    };
    match read {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
            Ok(String::new())
        }
        Err(error) => Err(Error::unreadable(&path.display().to_string(), &error)),
    }
}

/// Replaces a file as a whole. One that exists keeps its mode.
pub(crate) fn write(path: &Path, text: &str, owner: PolicyOwner) -> Result<(), Error> {
    replace(path, text, owner)
        .map_err(|error| Error::failed(format!("cannot write {}: {error}", path.display())))
}

fn replace(path: &Path, text: &str, owner: PolicyOwner) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        if owner == PolicyOwner::Project && folder.is_symlink() {
            return Err(io::Error::other("its folder is a link"));
        }
        fs::create_dir_all(folder)?;
    }
    // The person's file may be a link, which stays one.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mode = fs::metadata(&target).map(|found| found.permissions());
    owned::write(&target, text)?;
    match (mode, owner) {
        (Ok(mode), _) => fs::set_permissions(&target, mode),
        (Err(_), PolicyOwner::Project) => {
            set_mode(&File::options().write(true).open(&target)?, 0o644)
        }
        (Err(_), PolicyOwner::Person) => Ok(()),
    }
}

fn parse(text: &str) -> Result<DocumentMut, Error> {
    text.parse::<DocumentMut>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let line = 1 + text[..at].matches('\n').count();
        Error::invalid(format!("the file has a mistake in line {line}: {}", error.message()))
    })
}

/// Returns the text of a document, with the line ends that it had before.
fn rendered(document: &DocumentMut, before: &str) -> String {
    let text = document.to_string();
    match before.contains("\r\n") {
        true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => text,
    }
}

/// Returns the value that a person typed, as TOML.
fn value(key: SettingKey, typed: &str) -> Result<Value, Error> {
    match key.kind() {
        ValueKind::Tools => {}
        // A value that is neither a number nor a switch is a text, which the check of the file
        // rejects.
        ValueKind::Number | ValueKind::Count | ValueKind::Switch => {
            return Ok(typed.parse().unwrap_or_else(|_| typed.into()));
        }
        ValueKind::Texts | ValueKind::Words | ValueKind::Choices if typed.starts_with('[') => {
            return Ok(typed.parse().unwrap_or_else(|_| typed.into()));
        }
        ValueKind::Choices => {
            return Ok(Value::Array(Array::from_iter(typed.split(',').map(str::trim))));
        }
        _ => return Ok(typed.into()),
    }
    let choice: ToolChoice = typed.parse().map_err(Error::invalid)?;
    Ok(match choice {
        ToolChoice::Only(names) => Value::Array(Array::from_iter(names)),
        ToolChoice::Except(names) => named("except", names),
        ToolChoice::With(names) => named("with", names),
    })
}

/// Returns a table with one list of names.
fn named(key: &str, names: Vec<String>) -> Value {
    let mut table = InlineTable::new();
    table.insert(key, Value::Array(Array::from_iter(names)));
    Value::InlineTable(table)
}
