//! Files, cases and sections as data.
//!
//! This module defines the keys and the sections.

use serde_json::Value;

use crate::CaseText;

/// A file of cases.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "the notation has no more parts")]
pub struct CaseFile {
    /// The keys and values that apply to every case that does not override them.
    pub header: Vec<(String, String)>,
    /// The cases in the order of the file.
    pub cases: Vec<Case>,
}

/// One case: a wire text, and the expected events and reports.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "the notation has no more parts")]
pub struct Case {
    /// The name of the case, unique in its file.
    pub id: String,
    /// The keys and values of the case, followed by the file's, unless the case overrides them.
    pub header: Vec<(String, String)>,
    /// The text that is read.
    pub wire: CaseText,
    /// The sections after the wire, in order.
    pub sections: Vec<CaseSection>,
}

/// A section after the wire, such as an expected event.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "the notation has no more parts")]
pub struct CaseSection {
    /// The section's kind, such as `call`.
    pub name: String,
    /// The one word that follows the name, such as the id of a call.
    pub subject: Option<String>,
    /// The attributes that follow the subject, with values of JSON.
    pub attributes: Vec<(String, Value)>,
    /// The text on the lines after the head of the section.
    pub text: CaseText,
}

/// The keys that a header may have.
pub(crate) const KEYS: [&str; 7] =
    ["about", "clauses", "dialect", "exit", "flags", "outcome", "report"];

/// The names that a section may have, events first.
pub(crate) const SECTIONS: [&str; 12] = [
    "think",
    "call",
    "invalid_call",
    "block",
    "execute",
    "respond",
    "error",
    "end",
    "emitted",
    "result",
    "next",
    "stdout",
];

impl Case {
    /// Returns the value of a key in the case's header or, failing that, in the file's.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.header.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    /// Returns the words of a key's value, or none if no header has the key.
    pub fn words(&self, key: &str) -> impl Iterator<Item = &str> {
        self.value(key).unwrap_or_default().split(' ').filter(|word| !word.is_empty())
    }

    /// Returns the sections of this name.
    pub fn sections(&self, name: &str) -> impl Iterator<Item = &CaseSection> {
        self.sections.iter().filter(move |section| section.name == name)
    }

    /// Returns the events that the case expects, as JSON.
    pub fn events(&self) -> Vec<Value> {
        self.sections.iter().filter_map(CaseSection::to_event).collect()
    }

    /// Adds the keys of the file's header that the case does not have.
    pub(crate) fn inherit(&mut self, header: &[(String, String)]) {
        for (key, value) in header {
            if self.value(key).is_none() {
                self.header.push((key.clone(), value.clone()));
            }
        }
    }
}

impl CaseSection {
    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }
}
