//! The description that a model reads of an output that is only passed on: its type and its size.

use crate::fields::Fields;
use crate::json::{Json, Object};

/// The type and the size of an output that is not sent to the model, because only other calls, tests or
/// the answer use it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptValue {
    /// The type of the JSON value: `string`, `number`, `boolean`, `array`, `object` or `null`. A text
    /// that is JSON has the type that it has in expressions.
    pub kind: String,
    /// The number of items of an array.
    pub items: Option<u64>,
    /// The length of the value as JSON, or of the text of a string, in bytes.
    pub bytes: u64,
}

impl KeptValue {
    /// Describes a value.
    pub fn describe(value: &Json) -> Self {
        // A text that is JSON is its value, as in expressions (P-29).
        let text = value.to_text();
        let inner = Json::parse(&text);
        let json = inner.as_ref().unwrap_or(value).as_str();
        let items = || serde_json::from_str::<Vec<&serde_json::value::RawValue>>(json).ok();
        let (kind, items) = match json.as_bytes().first() {
            Some(b'[') => ("array", items().map(|items| items.len() as u64)),
            Some(b'{') => ("object", None),
            Some(b'"') | None => ("string", None),
            Some(b't' | b'f') => ("boolean", None),
            Some(b'n') => ("null", None),
            Some(_) => ("number", None),
        };
        Self { kind: kind.to_owned(), items, bytes: text.len() as u64 }
    }

    pub(super) fn write(&self, to: &mut Object<'_>) {
        to.bool("kept", true);
        if !self.kind.is_empty() {
            to.string("type", &self.kind);
        }
        if let Some(items) = self.items {
            to.integer("items", items);
        }
        to.integer("bytes", self.bytes);
    }

    pub(super) fn read(fields: &Fields<'_>) -> Option<Self> {
        (fields.get("kept") == Some("true")).then(|| Self {
            kind: fields.maybe("type").unwrap_or_default(),
            items: fields.number("items"),
            bytes: fields.number("bytes").unwrap_or_default(),
        })
    }
}
