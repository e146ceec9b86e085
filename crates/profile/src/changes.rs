//! The changes of facts that a model answers.
//!
//! This module reads the changes. The profile decides which of them are made.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The changes that one answer asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FactChanges {
    pub(crate) add: Vec<AddedFact>,
    pub(crate) replace: Vec<ReplacedFact>,
    /// The numbers of facts.
    pub(crate) remove: Vec<usize>,
}

/// A new fact.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenAddition")]
pub(crate) struct AddedFact {
    pub(crate) text: String,
    /// The number of the message that says so.
    pub(crate) message: Option<usize>,
}

/// A new text for a fact.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplacedFact {
    /// The number of the fact.
    pub(crate) fact: usize,
    pub(crate) text: String,
    /// The number of the message that says so.
    #[serde(default)]
    pub(crate) message: Option<usize>,
}

/// A new fact, which small models often write as a text alone.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum WrittenAddition {
    Text(String),
    Object {
        text: String,
        #[serde(default)]
        message: Option<usize>,
    },
}

impl From<WrittenAddition> for AddedFact {
    fn from(written: WrittenAddition) -> Self {
        match written {
            WrittenAddition::Text(text) => Self { text, message: None },
            WrittenAddition::Object { text, message } => Self { text, message },
        }
    }
}

impl FactChanges {
    /// Reads the one object with changes in an answer, which may have other text around it. Two
    /// different objects, or an object with other members, are none.
    pub(crate) fn read(answer: &str) -> Option<Self> {
        let mut found: Option<Self> = None;
        let mut at = 0;
        for _ in 0..MAX_OBJECTS {
            let Some(start) = answer[at..].find('{').map(|offset| at + offset) else {
                return found.filter(Self::is_small);
            };
            let rest = serde_json::Deserializer::from_str(&answer[start..]);
            let Some(Ok(object)) = rest.into_iter::<&RawValue>().next() else {
                at = start + 1;
                continue;
            };
            at = start + object.get().len();
            let Ok(changes) = serde_json::from_str::<Self>(object.get()) else { continue };
            if found.as_ref().is_some_and(|other| *other != changes) {
                return None;
            }
            found = Some(changes);
        }
        None
    }

    fn is_small(&self) -> bool {
        self.add.len().max(self.replace.len()).max(self.remove.len()) <= MAX_CHANGES
    }
}

/// The maximum number of braces in an answer at which the search looks for an object.
const MAX_OBJECTS: usize = 16;

/// The maximum number of changes of one kind.
const MAX_CHANGES: usize = 40;
