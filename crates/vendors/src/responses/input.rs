//! Messages as items of a request to Responses.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{Message, Role};

#[derive(Serialize)]
pub(super) struct InputItem<'a> {
    r#type: &'static str,
    role: &'a str,
    content: InputContent<'a>,
}

impl<'a> From<&'a Message> for InputItem<'a> {
    fn from(message: &'a Message) -> Self {
        Self::of_text(message.role, message.text())
    }
}

impl<'a> InputItem<'a> {
    pub(super) fn of_text(role: Role, text: Cow<'a, str>) -> Self {
        let content = match role {
            Role::Assistant => InputContent::Text(text),
            _ => InputContent::Parts([InputPart { r#type: "input_text", text }]),
        };
        Self { r#type: "message", role: role.as_str(), content }
    }
}

/// The content of a message. The model's own messages are plain texts, because as parts they would
/// need annotations and the vendor's ids.
#[derive(Serialize)]
#[serde(untagged)]
enum InputContent<'a> {
    Text(Cow<'a, str>),
    Parts([InputPart<'a>; 1]),
}

#[derive(Serialize)]
struct InputPart<'a> {
    r#type: &'static str,
    text: Cow<'a, str>,
}
