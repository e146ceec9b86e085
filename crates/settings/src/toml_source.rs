//! The text of a TOML file with the lines of its fields, for messages. This module reads TOML, and
//! does not interpret the fields.

use std::fmt::Display;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::de::{DeTable, DeValue};

use crate::error::Error;

/// The text of a TOML file with the positions of its fields.
///
/// ```
/// use silcrow_settings::TomlSource;
///
/// let source = TomlSource::parse("config.toml", "model = 5\n").unwrap();
/// let error = source.wrong("model", "write a text in quotes");
/// assert_eq!(error.to_string(), "config.toml, line 1, `model`: write a text in quotes");
/// ```
#[derive(Debug)]
pub struct TomlSource<'a> {
    file: &'a str,
    text: &'a str,
    fields: Vec<TomlField>,
}

/// A field: the keys on the way to it, such as `agents.reader.tools[2]`, and its position.
#[derive(Debug)]
struct TomlField {
    name: String,
    key: Range<usize>,
    value: Range<usize>,
}

impl<'a> TomlSource<'a> {
    /// Parses text as TOML. `file` is its name in messages.
    ///
    /// # Errors
    ///
    /// Returns an error with the line of the first mistake.
    pub fn parse(file: &'a str, text: &'a str) -> Result<Self, Error> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut source = Self { file, text, fields: Vec::new() };
        source.note("", &DeValue::Table(table.into_inner()));
        match errors.first() {
            Some(error) => Err(source.misread(error)),
            None => Ok(source),
        }
    }

    /// Deserializes the text.
    ///
    /// # Errors
    ///
    /// Returns an error with the line and the innermost field.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        toml::from_str(self.text).map_err(|error| self.misread(&error))
    }

    /// Returns the error about a field. For a missing field it shows the line of the table around
    /// it.
    pub fn wrong(&self, name: &str, why: impl Display) -> Error {
        let mut at = name;
        loop {
            if let Some(field) = self.fields.iter().find(|field| field.name == at) {
                return self.failure(field.key.start, Some(name), why);
            }
            at = match at.rfind(['.', '[']) {
                Some(cut) => &at[..cut],
                None => return self.failure(0, Some(name), why),
            };
        }
    }

    /// Returns the line of a field, which is 1 for a missing one.
    pub fn line(&self, name: &str) -> usize {
        let field = self.fields.iter().find(|field| field.name == name);
        self.line_at(field.map_or(0, |field| field.key.start))
    }

    /// Returns the error about an error of deserialization, with the innermost field around it.
    fn misread(&self, error: &toml::de::Error) -> Error {
        let Some(span) = error.span() else { return self.failure(0, None, error.message()) };
        let around = |range: &Range<usize>| range.start <= span.start && span.end <= range.end;
        let fields = self
            .fields
            .iter()
            .flat_map(|field| [&field.key, &field.value].map(|range| (range, &*field.name)));
        let field = fields.filter(|(range, _)| around(range)).min_by_key(|(range, _)| range.len());
        self.failure(span.start, field.map(|(_, name)| name), error.message())
    }

    fn failure(&self, at: usize, field: Option<&str>, why: impl Display) -> Error {
        let line = self.line_at(at);
        let field = field.map_or_else(String::new, |field| format!(", `{field}`"));
        Error::invalid(format!("{}, line {line}{field}: {why}", self.file))
    }

    fn line_at(&self, at: usize) -> usize {
        1 + self.text[..at.min(self.text.len())].matches('\n').count()
    }

    fn note(&mut self, above: &str, value: &DeValue<'_>) {
        match value {
            DeValue::Table(table) => {
                for (key, value) in table {
                    let dot = if above.is_empty() { "" } else { "." };
                    let name = format!("{above}{dot}{}", key.get_ref());
                    self.note(&name, value.get_ref());
                    self.fields.push(TomlField { name, key: key.span(), value: value.span() });
                }
            }
            DeValue::Array(array) => {
                for (index, value) in array.iter().enumerate() {
                    let name = format!("{above}[{index}]");
                    self.note(&name, value.get_ref());
                    self.fields.push(TomlField { name, key: value.span(), value: value.span() });
                }
            }
            _ => {}
        }
    }
}
