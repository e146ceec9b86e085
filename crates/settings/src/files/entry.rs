//! All keys with the effective value of each, as a person reads it.

use std::fmt::{self, Display, Formatter};

use silcrow_sanitize::sanitize_line;

use super::FileSettings;
use super::key::SettingKey;
use super::value::SettingValue;
use crate::source::{SettingSource, Sourced};

/// One key with a value that counts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SettingEntry {
    /// The key.
    pub key: SettingKey,
    /// The value, unless it is the [default](SettingKey::default).
    pub value: Option<SettingValue>,
    /// The source of the value.
    pub source: SettingSource,
    /// Whether it comes from a project and only narrows the person's value.
    pub narrows: bool,
}

impl FileSettings {
    /// Returns all keys with their effective values, each followed by the values that narrow it.
    /// The servers of all files count together, so each file with servers has an entry.
    pub fn entries(&self) -> Vec<SettingEntry> {
        let entries = SettingKey::ALL.into_iter().flat_map(|key| {
            let narrowing = self
                .narrowing(key)
                .map(move |found| SettingEntry { narrows: true, ..SettingEntry::new(key, found) });
            let further = self.in_files(key).skip(1).filter(move |_| key == SettingKey::Mcp);
            let further = further.map(move |found| SettingEntry::new(key, found));
            [self.entry(key)].into_iter().chain(further).chain(narrowing)
        });
        entries.collect()
    }

    /// Returns a key with its effective value.
    pub fn entry(&self, key: SettingKey) -> SettingEntry {
        match self.get(key) {
            Some(found) => SettingEntry::new(key, found),
            None => {
                SettingEntry { key, value: None, source: SettingSource::Default, narrows: false }
            }
        }
    }
}

impl SettingEntry {
    fn new(key: SettingKey, found: Sourced<SettingValue>) -> Self {
        let Sourced { value, source } = found;
        Self { key, value: Some(value), source, narrows: false }
    }

    /// Returns the value on one line, which may be words about the default.
    pub fn shown(&self) -> String {
        match &self.value {
            Some(value) => sanitize_line(&value.to_string()).into_owned(),
            None => self.key.default().to_owned(),
        }
    }
}

/// Writes the key, the value and the source on one line.
impl Display for SettingEntry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let source = self.source.to_string();
        let narrows = if self.narrows { ", narrows" } else { "" };
        write!(f, "{} = {} ({}{narrows})", self.key.as_str(), self.shown(), sanitize_line(&source))
    }
}
