//! Messages as items of a request to Responses.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{ContentPart, MediaRef, Message, Role};

use crate::media_parts::{MediaPiece, has_media, is_pdf, pieces};

#[derive(Serialize)]
pub(super) struct InputItem<'a> {
    r#type: &'static str,
    role: &'a str,
    content: InputContent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<Cow<'a, str>>,
}

impl<'a> From<&'a Message> for InputItem<'a> {
    fn from(message: &'a Message) -> Self {
        match has_media(message) {
            true => Self::of_parts(message.role, message.content.parts()),
            false => Self::of_text(message.role, message.text()),
        }
    }
}

impl<'a> InputItem<'a> {
    pub(super) fn of_text(role: Role, text: Cow<'a, str>) -> Self {
        let content = match role {
            Role::Assistant => InputContent::Text(text),
            _ => InputContent::Parts(vec![InputPart::Text { text }]),
        };
        Self { r#type: "message", role: role.as_str(), content, phase: None }
    }

    /// Sets the phase that the model gave its message.
    pub(super) fn in_phase(self, phase: Option<Cow<'a, str>>) -> Self {
        Self { phase, ..self }
    }

    /// Returns the item of a message with pictures or documents.
    pub(super) fn of_parts(role: Role, parts: impl IntoIterator<Item = &'a ContentPart>) -> Self {
        let written = |piece| match piece {
            MediaPiece::Text(text) => InputPart::Text { text: text.into() },
            MediaPiece::Medium(loaded) if loaded.medium.is_image() => {
                InputPart::Image { image_url: loaded.data_url() }
            }
            MediaPiece::Medium(loaded) => {
                InputPart::File { filename: loaded.name(), file_data: loaded.data_url() }
            }
        };
        let takes = |medium: &MediaRef| medium.is_image() || is_pdf(medium);
        let parts = pieces(parts, takes).into_iter().map(written).collect();
        Self {
            r#type: "message",
            role: role.as_str(),
            content: InputContent::Parts(parts),
            phase: None,
        }
    }
}

/// The content of a message. The model's own messages are plain texts, because as parts they would
/// need annotations and the vendor's ids.
#[derive(Serialize)]
#[serde(untagged)]
enum InputContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<InputPart<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type")]
enum InputPart<'a> {
    #[serde(rename = "input_text")]
    Text { text: Cow<'a, str> },
    #[serde(rename = "input_image")]
    Image { image_url: String },
    #[serde(rename = "input_file")]
    File { filename: String, file_data: String },
}
