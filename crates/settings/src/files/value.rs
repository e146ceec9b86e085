//! The values of settings: read from TOML or typed, checked by the kind of their key, and shown.
//!
//! This module has the kinds of values, from whichever file.

use std::fmt::{self, Display, Formatter};
use std::iter;
use std::path::PathBuf;

use serde_json::json;
use silcrow_environment::split_words;
use silcrow_exec::PriceTable;
use silcrow_sanitize::mask_key_shapes;
use url::Url;

use super::key::{SettingKey, ValueKind};
use super::secret_name::variable_for;
use crate::file_folder::FileFolder;
use crate::mcp::DeclaredServer;
use crate::model_setting::{ModelSetting, model_settings};
use crate::price_table::price_table;
use crate::text::count;
use crate::tool_choice::ToolChoice;

/// The value of a setting.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SettingValue {
    /// A text, or one of a few words.
    Text(String),
    /// A file or a folder. The place of a store may be `memory`, or the address of a database.
    Path(PathBuf),
    /// Yes or no.
    Switch(bool),
    /// A number such as a temperature.
    Number(f64),
    /// A whole number.
    Count(u32),
    /// One or more texts, or the words of a command.
    Texts(Vec<String>),
    /// A choice of tools.
    Tools(ToolChoice),
    /// The prices, and the number of models that have one.
    Prices(PriceTable, usize),
    /// The kinds of input that models take besides text.
    Models(Vec<ModelSetting>),
    /// The number of rules of a policy that is written in the file itself.
    Rules(usize),
    /// MCP servers.
    Servers(Vec<DeclaredServer>),
}

impl SettingValue {
    /// Reads the value of a key. A relative path is relative to the folder of the file.
    ///
    /// The error names the correction.
    pub(crate) fn read(
        key: SettingKey,
        value: &toml::Value,
        at: FileFolder<'_>,
    ) -> Result<Self, String> {
        check_secrets(value)?;
        match (key.kind(), value) {
            (ValueKind::Text, toml::Value::String(text)) if !text.trim().is_empty() => {
                Ok(Self::Text(text.clone()))
            }
            (ValueKind::Word, toml::Value::String(text)) if key.words().contains(&&**text) => {
                Ok(Self::Text(text.clone()))
            }
            (ValueKind::Engine, toml::Value::String(text)) if is_engine(text) => {
                Ok(Self::Text(text.clone()))
            }
            (
                ValueKind::Path | ValueKind::Prices | ValueKind::Policy,
                toml::Value::String(text),
            ) if !text.trim().is_empty() => Ok(Self::Path(path(key, text, at))),
            (ValueKind::Switch, toml::Value::Boolean(is_on)) => Ok(Self::Switch(*is_on)),
            (ValueKind::Number, value) => {
                let whole = || value.as_integer().map(|whole| whole as f64);
                let number = value.as_float().or_else(whole);
                let number = number.filter(|number| (0.0..=2.0).contains(number));
                number.map(Self::Number).ok_or_else(|| shape(key))
            }
            (ValueKind::Count, toml::Value::Integer(number)) => {
                let least = if key.is_from_zero() { 0 } else { 1 };
                let count = u32::try_from(*number).ok().filter(|count| *count >= least);
                count.map(Self::Count).ok_or_else(|| shape(key))
            }
            (ValueKind::Words, toml::Value::String(text)) => {
                let words = split_words(text).filter(|words| !words.is_empty());
                words.map(Self::Texts).ok_or_else(|| shape(key))
            }
            (ValueKind::Words, value) => list(value)
                .filter(|words| !words.is_empty())
                .map(Self::Texts)
                .ok_or_else(|| shape(key)),
            (ValueKind::Choices, value) => list(value)
                .filter(|words| words.iter().all(|word| key.words().contains(&&**word)))
                .map(Self::Texts)
                .ok_or_else(|| shape(key)),
            (ValueKind::Texts, value) => list(value).map(Self::Texts).ok_or_else(|| shape(key)),
            (ValueKind::Tools, value) => tools(value).map(Self::Tools).ok_or_else(|| shape(key)),
            (ValueKind::Prices, toml::Value::Table(table)) => {
                let prices = price_table(table.clone())?;
                Ok(Self::Prices(prices, table.len()))
            }
            (ValueKind::Models, toml::Value::Table(table)) => {
                model_settings(table).map(Self::Models)
            }
            (ValueKind::Policy, toml::Value::Table(table)) => {
                let rules = table.get("rules").and_then(toml::Value::as_array);
                Ok(Self::Rules(rules.map_or(0, Vec::len)))
            }
            _ => Err(shape(key)),
        }
    }

    /// Returns the rows that a person reads before trusting the value: a label and its text.
    ///
    /// ```
    /// use silcrow_settings::SettingValue;
    ///
    /// let value = SettingValue::Switch(true);
    /// assert_eq!(value.rows("coding"), [("coding".to_owned(), "true".to_owned())]);
    /// ```
    pub fn rows(&self, key: &str) -> Vec<(String, String)> {
        match self {
            Self::Servers(servers) => {
                let row = |server: &DeclaredServer| {
                    (format!("{key}.{}", server.name), server.place.to_string())
                };
                servers.iter().map(row).collect()
            }
            value => vec![(key.to_owned(), value.to_string())],
        }
    }

    /// Returns the value as JSON. Of prices and rules it has the number, and of servers the places.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Switch(is_on) => json!(is_on),
            Self::Number(number) => json!(number),
            Self::Count(count) => json!(count),
            Self::Texts(texts) => json!(texts),
            Self::Rules(rules) => json!({"rules": rules}),
            Self::Servers(servers) => servers
                .iter()
                .map(|server| (server.name.clone(), json!(server.place.to_string())))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Self::Prices(_, models) => json!({"models": models}),
            Self::Models(models) => models
                .iter()
                .map(|model| (model.name.clone(), json!({"sees": model.sees})))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            value => json!(value.to_string()),
        }
    }
}

impl Display for SettingValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Path(path) => write!(f, "{}", path.display()),
            Self::Switch(is_on) => write!(f, "{is_on}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Texts(texts) => write!(f, "{}", json!(texts)),
            Self::Tools(choice) => write!(f, "{choice}"),
            Self::Prices(_, models) => write!(f, "{} in this file", count(*models, "model")),
            Self::Models(models) => {
                let names: Vec<_> = models.iter().map(|model| &*model.name).collect();
                f.write_str(&names.join(", "))
            }
            Self::Rules(rules) => write!(f, "{} in this file", count(*rules, "rule")),
            Self::Servers(servers) => {
                let names: Vec<_> = servers.iter().map(|server| &*server.name).collect();
                f.write_str(&names.join(", "))
            }
        }
    }
}

/// Returns the instruction for writing a value of the key.
pub(crate) fn shape(key: SettingKey) -> String {
    match key.kind() {
        ValueKind::Text => "write a text in quotes".to_owned(),
        ValueKind::Path => "write a path in quotes".to_owned(),
        ValueKind::Switch => "write true or false".to_owned(),
        ValueKind::Word => {
            let words: Vec<_> = key.words().iter().map(|word| format!("\"{word}\"")).collect();
            format!("write one of {}", words.join(", "))
        }
        ValueKind::Choices => {
            let words: Vec<_> = key.words().iter().map(|word| format!("\"{word}\"")).collect();
            format!("write a list of some of {}", words.join(", "))
        }
        ValueKind::Tools => {
            "write a list of names, such as [\"file_read\"], or { except = [\"shell\"] }".to_owned()
        }
        ValueKind::Number => "write a number from 0 to 2, such as 0.7".to_owned(),
        ValueKind::Count if key.is_from_zero() => "write a whole number from 0".to_owned(),
        ValueKind::Count => "write a whole number from 1".to_owned(),
        ValueKind::Texts => "write a text in quotes, or a list of them".to_owned(),
        ValueKind::Words => {
            "write a command as a list of words, such as [\"op\", \"read\", \"op://keys/openai\"]"
                .to_owned()
        }
        ValueKind::Engine => "write \"duckduckgo\", \"brave\" or \"searxng:URL\"".to_owned(),
        ValueKind::Prices => {
            "write the path of a file of prices in quotes, or a table [prices.\"MODEL\"]".to_owned()
        }
        ValueKind::Models => "write a table [models.\"MODEL\"] with sees = [\"images\"]".to_owned(),
        ValueKind::Servers => {
            "add a server with silcrow mcp add, or write it below a line [mcp.NAME]".to_owned()
        }
        ValueKind::Policy => {
            "write the path of a policy file in quotes, or a table [policy]".to_owned()
        }
    }
}

/// Returns an error if one of the texts in a value looks like a key.
pub(crate) fn check_secrets(value: &toml::Value) -> Result<(), String> {
    texts(value).try_for_each(check_secret)
}

fn is_engine(text: &str) -> bool {
    matches!(text, "duckduckgo" | "brave") || text.starts_with("searxng:")
}

/// Returns one text, or a list of them, none of which is empty.
fn list(value: &toml::Value) -> Option<Vec<String>> {
    let text =
        |value: &toml::Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    match value {
        toml::Value::Array(values) => values.iter().map(text).collect(),
        one => Some(vec![text(one)?]),
    }
}

fn tools(value: &toml::Value) -> Option<ToolChoice> {
    let names = |value: &toml::Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|name| Some(name.as_str()?.to_owned())).collect()
    };
    match value {
        toml::Value::Table(table) if table.len() == 1 => {
            let except = table.get("except").map(|list| names(list).map(ToolChoice::Except));
            except.or_else(|| table.get("with").map(|list| names(list).map(ToolChoice::With)))?
        }
        list => names(list).map(ToolChoice::Only),
    }
}

/// Returns the path that a text means.
fn path(key: SettingKey, text: &str, at: FileFolder<'_>) -> PathBuf {
    if key == SettingKey::Store && (text == "memory" || is_database(text)) {
        return PathBuf::from(text);
    }
    match (text.strip_prefix("~/"), at.environment.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => at.folder.join(text),
    }
}

/// Returns whether the place of a store names a database.
fn is_database(place: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| place.starts_with(scheme))
}

/// Returns all texts in a value.
fn texts(value: &toml::Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        toml::Value::String(text) => Box::new(iter::once(&**text)),
        toml::Value::Array(values) => Box::new(values.iter().flat_map(texts)),
        toml::Value::Table(table) => Box::new(table.values().flat_map(texts)),
        _ => Box::new(iter::empty()),
    }
}

/// Returns an error for a text that looks like a key or contains a password. It does not repeat the
/// text.
fn check_secret(text: &str) -> Result<(), String> {
    if mask_key_shapes(text) != text {
        let variable = variable_for(text);
        return Err(format!(
            "this looks like a key; a file of settings holds none, because it is copied and \
             committed; put it into the variable {variable} of the environment"
        ));
    }
    let address = text.find("http").map(|at| &text[at..]);
    let has_password = address
        .and_then(|address| Url::parse(address).ok())
        .is_some_and(|url| url.password().is_some() || !url.username().is_empty());
    match has_password {
        false => Ok(()),
        true => Err("this address contains a password; a file of settings holds none; put a key \
                     into SILCROW_COMPATIBLE_KEY, and a proxy with a password into HTTPS_PROXY"
            .to_owned()),
    }
}
