//! The content of a message with pictures, documents or sounds: texts and media in their order.
//!
//! This module has the name of a medium, and its bytes in base64. Each vendor's modules write it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use silcrow_event::{ContentPart, MediaRef, Message};

/// A piece of a message.
pub(crate) enum MediaPiece<'a> {
    /// Text, which is not blank. Before a medium it ends with the line that names it.
    Text(String),
    /// A medium that the vendor takes.
    Medium(LoadedMedium<'a>),
}

/// A medium whose bytes are there.
#[derive(Clone, Copy)]
pub(crate) struct LoadedMedium<'a> {
    pub(crate) medium: &'a MediaRef,
    bytes: &'a [u8],
}

/// Returns whether a message has a medium that can be sent.
pub(crate) fn has_media(message: &Message) -> bool {
    message.content.media().any(|medium| medium.data().is_some())
}

/// Returns parts as texts and media. A medium that the vendor does not take, or that has no bytes,
/// is a line of text. Other parts become their texts.
pub(crate) fn pieces<'a>(
    parts: impl IntoIterator<Item = &'a ContentPart>,
    takes: impl Fn(&MediaRef) -> bool,
) -> Vec<MediaPiece<'a>> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&part.text());
        if let ContentPart::Media(medium) = part
            && let Some(bytes) = medium.data().filter(|_| takes(medium))
        {
            pieces.push(MediaPiece::Text(std::mem::take(&mut text)));
            pieces.push(MediaPiece::Medium(LoadedMedium { medium, bytes }));
        }
    }
    if !text.trim().is_empty() {
        pieces.push(MediaPiece::Text(text));
    }
    pieces
}

impl LoadedMedium<'_> {
    /// Returns the bytes in base64.
    pub(crate) fn base64(self) -> String {
        STANDARD.encode(self.bytes)
    }

    /// Returns the bytes as a URL of the scheme `data`.
    pub(crate) fn data_url(self) -> String {
        format!("data:{};base64,{}", self.medium.mime, self.base64())
    }

    /// Returns the name of the file, or a description.
    pub(crate) fn name(self) -> String {
        let end = self.medium.format().to_ascii_lowercase();
        match &*self.medium.name {
            "" => format!("{}.{end}", self.medium.kind()),
            name => name.to_owned(),
        }
    }
}

/// Returns whether a medium is a document in PDF.
pub(crate) fn is_pdf(medium: &MediaRef) -> bool {
    medium.mime == "application/pdf"
}
