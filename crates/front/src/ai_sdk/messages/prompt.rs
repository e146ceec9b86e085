//! A part of a message of the person: words, or a file.

use silcrow_event::{Content, ContentPart, MediaRef};

use crate::client_file::write_base64;
use crate::json_object::JsonObject;

pub(super) enum UiPromptPart {
    Text(String),
    File(Box<MediaRef>),
}

impl UiPromptPart {
    /// Returns the parts of a prompt. Only a file with its bytes is one; another is its line in the words.
    pub(super) fn list(content: &Content) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut words = Content::default();
        for part in content.parts() {
            match part {
                ContentPart::Media(medium) if medium.data().is_some() => {
                    parts.extend(Self::words(std::mem::take(&mut words)));
                    parts.push(Self::File(medium.clone()));
                }
                other => words.push(other.clone()),
            }
        }
        if parts.is_empty() {
            return vec![Self::Text(words.text().into_owned())];
        }
        parts.extend(Self::words(words));
        parts
    }

    fn words(content: Content) -> Option<Self> {
        (!content.is_empty()).then(|| Self::Text(content.text().into_owned()))
    }

    pub(super) fn to_json(&self) -> String {
        let part = |name: &str| JsonObject::new().text("type", name);
        match self {
            Self::Text(text) => part("text").text("text", text).finish(),
            Self::File(medium) => {
                let MediaRef { mime, name, .. } = &**medium;
                let bytes = write_base64(medium.data().unwrap_or_default());
                let mut file = part("file").text("mediaType", mime);
                if !name.is_empty() {
                    file = file.text("filename", name);
                }
                file.text("url", &format!("data:{mime};base64,{bytes}")).finish()
            }
        }
    }
}
