//! Pictures, documents and sounds in requests to Chat Completions.

use serde::Serialize;
use silcrow_event::{ContentPart, MediaRef};

use crate::media_parts::{LoadedMedium, MediaPiece, is_pdf, pieces};

/// A part of a message with media.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum WrittenChatPart {
    Text { text: String },
    ImageUrl { image_url: ChatImage },
    File { file: ChatFile },
    InputAudio { input_audio: ChatAudio },
}

#[derive(Serialize)]
pub(super) struct ChatImage {
    url: String,
}

#[derive(Serialize)]
pub(super) struct ChatFile {
    filename: String,
    file_data: String,
}

#[derive(Serialize)]
pub(super) struct ChatAudio {
    data: String,
    format: &'static str,
}

/// Returns the parts of a message with media.
pub(super) fn chat_parts<'a>(
    parts: impl IntoIterator<Item = &'a ContentPart>,
) -> Vec<WrittenChatPart> {
    let written = |piece| match piece {
        MediaPiece::Text(text) => WrittenChatPart::Text { text },
        MediaPiece::Medium(loaded) => written_medium(loaded),
    };
    pieces(parts, takes).into_iter().map(written).collect()
}

fn written_medium(loaded: LoadedMedium<'_>) -> WrittenChatPart {
    match sound(loaded.medium) {
        Some(format) => {
            let data = loaded.base64();
            WrittenChatPart::InputAudio { input_audio: ChatAudio { data, format } }
        }
        None if loaded.medium.is_image() => {
            WrittenChatPart::ImageUrl { image_url: ChatImage { url: loaded.data_url() } }
        }
        None => {
            let (filename, file_data) = (loaded.name(), loaded.data_url());
            WrittenChatPart::File { file: ChatFile { filename, file_data } }
        }
    }
}

fn takes(medium: &MediaRef) -> bool {
    medium.is_image() || is_pdf(medium) || sound(medium).is_some()
}

/// Returns the word of the API for a sound that it takes.
fn sound(medium: &MediaRef) -> Option<&'static str> {
    match &*medium.mime {
        "audio/wav" => Some("wav"),
        "audio/mpeg" => Some("mp3"),
        _ => None,
    }
}
