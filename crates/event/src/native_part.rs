//! Calls and results in a message, as a vendor's own tool calling has them.
//!
//! This module defines the data that a vendor needs about them.

use std::borrow::Cow;

use crate::fields::Fields;
use crate::json::Object;

/// A call in a message of the model, for a vendor's own tool calling (P-45).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a vendor's calls have these")]
pub struct NativeCall {
    /// The id, unique within the conversation.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments, a JSON object.
    pub args: String,
    /// The vendor's data for the call, if there is any for the requested model.
    pub opaque: Option<String>,
}

/// The result of a call in a message of the person's role, for a vendor's own tool calling (P-45).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a vendor's results have these")]
pub struct NativeResult {
    /// The id of the call.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The text that the model reads.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}

impl NativeCall {
    /// Returns the call as text, for a request without tools.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        let mut out = String::new();
        let mut object = Object::open(&mut out);
        object.string("name", &self.name);
        object.raw("args", &self.args);
        object.close();
        out.into()
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("type", "call");
        to.string("id", &self.id);
        to.string("name", &self.name);
        to.raw("args", &self.args);
        if let Some(opaque) = &self.opaque {
            to.string("opaque", opaque);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        Some(Self {
            id: fields.maybe("id")?,
            name: fields.maybe("name")?,
            args: fields.get("args")?.to_owned(),
            opaque: fields.maybe("opaque"),
        })
    }
}

impl NativeResult {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("type", "result");
        to.string("id", &self.id);
        to.string("name", &self.name);
        to.string("text", &self.text);
        if self.is_error {
            to.bool("is_error", true);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        Some(Self {
            id: fields.maybe("id")?,
            name: fields.maybe("name")?,
            text: fields.maybe("text")?,
            is_error: fields.get("is_error") == Some("true"),
        })
    }
}
