//! Messages as steps of a request to Interactions.

use std::borrow::Cow;

use serde::Serialize;
use silcrow_event::{ContentPart, Message, Role};

use crate::media_parts::{MediaPiece, has_media, pieces};

#[derive(Serialize)]
pub(super) struct InputStep<'a> {
    r#type: &'static str,
    content: Vec<StepPart<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StepPart<'a> {
    Text { text: Cow<'a, str> },
    Image { data: String, mime_type: &'a str },
    Document { data: String, mime_type: &'a str },
    Audio { data: String, mime_type: &'a str },
}

impl<'a> StepPart<'a> {
    fn from_piece(piece: MediaPiece<'a>) -> Self {
        let loaded = match piece {
            MediaPiece::Text(text) => return Self::Text { text: text.into() },
            MediaPiece::Medium(loaded) => loaded,
        };
        let (data, mime_type) = (loaded.base64(), &*loaded.medium.mime);
        match loaded.medium.kind() {
            "image" => Self::Image { data, mime_type },
            "sound" => Self::Audio { data, mime_type },
            _ => Self::Document { data, mime_type },
        }
    }
}

impl<'a> From<&'a Message> for InputStep<'a> {
    fn from(message: &'a Message) -> Self {
        match has_media(message) {
            true => Self::of_parts(message.role, message.content.parts()),
            false => Self::of_text(message.role, message.text()),
        }
    }
}

impl<'a> InputStep<'a> {
    pub(super) fn of_text(role: Role, text: Cow<'a, str>) -> Self {
        Self { r#type: step_type(role), content: vec![StepPart::Text { text }] }
    }

    /// Returns the step of a message with pictures, documents or sounds.
    pub(super) fn of_parts(role: Role, parts: impl IntoIterator<Item = &'a ContentPart>) -> Self {
        let content = pieces(parts, |_| true).into_iter().map(StepPart::from_piece).collect();
        Self { r#type: step_type(role), content }
    }
}

const fn step_type(role: Role) -> &'static str {
    if matches!(role, Role::Assistant) { "model_output" } else { "user_input" }
}
