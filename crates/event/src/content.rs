//! The content of a message, of a tool's output and of a result.
//!
//! This module defines the kinds of parts, their texts and their JSON.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::fields::Fields;
use crate::json::{Json, Object};
use crate::media_ref::MediaRef;
use crate::native_part::{NativeCall, NativeResult};

/// Content made of parts, in order.
///
/// Most content is a single text, and is created and read as such:
///
/// ```
/// use silcrow_event::{Content, ContentPart, Json};
///
/// let content = Content::from("2 files");
/// assert_eq!(content.text(), "2 files");
///
/// let mut content = Content::from("Found:");
/// content.push(ContentPart::Json(Json::parse(r#"["a.rs", "b.rs"]"#).unwrap()));
/// assert_eq!(content.text(), "Found:\n[\"a.rs\", \"b.rs\"]");
/// ```
///
/// A clone shares its parts with the original until one of both changes, so a copy of a long
/// conversation takes neither its memory nor its time.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Content(Option<Arc<Vec<ContentPart>>>);

/// A part of a [`Content`].
///
/// More kinds of parts will follow. Code without a case for a kind of part uses its
/// [`text`](Self::text) instead, so that no part is lost. The context assembly and the encoders of
/// requests do so.
///
/// ```
/// use silcrow_event::{Content, ContentPart, Json};
///
/// let mut content = Content::from("2 files");
/// content.push(ContentPart::Json(Json::parse("[1,2]").unwrap()));
/// let texts: Vec<_> = content.parts().iter().map(ContentPart::text).collect();
/// assert_eq!(texts, ["2 files", "[1,2]"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContentPart {
    /// Plain text.
    Text(String),
    /// A JSON value, such as the structured output of a tool.
    Json(Json),
    /// A call, in a message of the model to a vendor's own tool calling (P-45).
    Call(NativeCall),
    /// The result of such a call.
    Result(NativeResult),
    /// Data of the vendor that goes back unchanged, such as a signed thought. It has no text.
    Opaque(String),
    /// A picture, a document or a sound. Its text is the line that stands for it.
    Media(Box<MediaRef>),
}

impl Content {
    /// Returns the parts, in order. No part is an empty text.
    pub fn parts(&self) -> &[ContentPart] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Returns the parts, which no other content shares any more.
    fn own_parts(&mut self) -> &mut Vec<ContentPart> {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Returns the pictures, documents and sounds, in order.
    pub fn media(&self) -> impl Iterator<Item = &MediaRef> {
        self.parts().iter().filter_map(|part| match part {
            ContentPart::Media(media) => Some(&**media),
            _ => None,
        })
    }

    /// Returns the same parts, each changed by `change`.
    #[must_use]
    pub fn map(self, change: impl FnMut(ContentPart) -> ContentPart) -> Self {
        self.parts().iter().cloned().map(change).collect()
    }

    /// Adds a part at the end. An empty text adds nothing.
    pub fn push(&mut self, part: ContentPart) {
        if !matches!(&part, ContentPart::Text(text) if text.is_empty()) {
            self.own_parts().push(part);
        }
    }

    /// Continues the last part with `text` if that part is a text, or adds a part.
    pub fn push_text(&mut self, text: &str) {
        if !matches!(self.parts().last(), Some(ContentPart::Text(_))) {
            self.push(ContentPart::Text(text.to_owned()));
        } else if let Some(ContentPart::Text(last)) = self.own_parts().last_mut() {
            last.push_str(text);
        }
    }

    /// Returns the texts of all parts, with a line break between two parts. One text is borrowed.
    pub fn text(&self) -> Cow<'_, str> {
        match self.parts() {
            [] => Cow::Borrowed(""),
            [part] => part.text(),
            parts => {
                let mut text = String::new();
                let mut is_first = true;
                for part in parts.iter().filter(|part| !matches!(part, ContentPart::Opaque(_))) {
                    if !std::mem::replace(&mut is_first, false) {
                        text.push('\n');
                    }
                    text.push_str(&part.text());
                }
                Cow::Owned(text)
            }
        }
    }

    /// Returns the [`text`](Self::text) if it can be borrowed: if there is at most one part, and
    /// that part is not a JSON string.
    pub fn as_text(&self) -> Option<&str> {
        match self.text() {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        }
    }

    /// Returns the [`text`](Self::text), without a copy if the content is one text that no clone
    /// shares.
    pub fn into_text(mut self) -> String {
        match self.0.as_mut().and_then(Arc::get_mut).map(Vec::as_mut_slice) {
            Some([ContentPart::Text(text)]) => std::mem::take(text),
            _ => self.text().into_owned(),
        }
    }

    /// Returns whether there is nothing to read: the [`text`](Self::text) is empty.
    pub fn is_empty(&self) -> bool {
        match self.parts() {
            [] => true,
            [part] => part.text().is_empty(),
            // The texts of two parts have a line break between them.
            _ => false,
        }
    }

    /// Returns the JSON value of a name that is bound to this content: the value of a single JSON
    /// part, or a string.
    pub(crate) fn to_value(&self) -> Json {
        match self.parts() {
            [ContentPart::Json(json)] => json.clone(),
            _ => Json::string(&self.text()),
        }
    }

    /// Writes that value as the member `key`.
    pub(crate) fn write_value(&self, key: &'static str, to: &mut Object<'_>) {
        match self.parts() {
            [ContentPart::Json(json)] => to.raw(key, json.as_str()),
            _ => to.string(key, &self.text()),
        }
    }

    /// Reads the content whose text is `text` and whose value is `value`.
    pub(crate) fn from_value(text: String, value: &Json) -> Self {
        match !value.is_string() && value.as_str() == text {
            true => Self::from(value.clone()),
            false => Self::from(text),
        }
    }

    /// Writes the text as `content`, followed by the parts unless text and value already determine
    /// them.
    pub(crate) fn write(&self, has_value: bool, to: &mut Object<'_>) {
        to.string("content", &self.text());
        match self.parts() {
            [] | [ContentPart::Text(_)] => {}
            [ContentPart::Json(json)] if has_value && !json.is_string() => {}
            parts => to.objects("parts", parts, ContentPart::write),
        }
    }

    /// Reads the member `parts`. Returns `None` if the member is missing or if a part has an
    /// unknown kind; the caller then reads the text instead.
    pub(crate) fn read_parts(fields: &Fields<'_>) -> Option<Self> {
        fields.objects("parts")?.iter().map(ContentPart::read).collect()
    }
}

impl ContentPart {
    /// Returns the text of the part, for places that take only text: the text itself, the
    /// characters of a JSON string, or the JSON of another value.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Json(json) if json.is_string() => Cow::Owned(json.to_text()),
            Self::Json(json) => Cow::Borrowed(json.as_str()),
            Self::Call(call) => call.text(),
            Self::Result(result) => Cow::Borrowed(&result.text),
            Self::Opaque(_) => Cow::Borrowed(""),
            Self::Media(media) => media.line().into(),
        }
    }

    fn write(&self, to: &mut Object<'_>) {
        match self {
            Self::Text(text) => {
                to.string("type", "text");
                to.string("text", text);
            }
            Self::Json(json) => {
                to.string("type", "json");
                to.raw("json", json.as_str());
            }
            Self::Call(call) => call.write(to),
            Self::Result(result) => result.write(to),
            Self::Opaque(data) => {
                to.string("type", "opaque");
                to.string("data", data);
            }
            Self::Media(media) => {
                to.string("type", "media");
                to.object("media", |to| media.write(to));
            }
        }
    }

    fn read(fields: &Fields<'_>) -> Option<Self> {
        match &*fields.maybe("type")? {
            "text" => fields.maybe("text").map(Self::Text),
            "json" => fields.get("json").and_then(Json::parse).map(Self::Json),
            "call" => NativeCall::read(fields).map(Self::Call),
            "result" => NativeResult::read(fields).map(Self::Result),
            "opaque" => fields.maybe("data").map(Self::Opaque),
            "media" => fields
                .object("media")
                .and_then(|fields| MediaRef::read(&fields))
                .map(Box::new)
                .map(Self::Media),
            _ => None,
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Content").field(&self.parts()).finish()
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl From<ContentPart> for Content {
    fn from(part: ContentPart) -> Self {
        let mut content = Self::default();
        content.push(part);
        content
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        ContentPart::Text(text).into()
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Content {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<Cow<'_, str>> for Content {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<Json> for Content {
    fn from(json: Json) -> Self {
        ContentPart::Json(json).into()
    }
}

impl FromIterator<ContentPart> for Content {
    fn from_iter<I: IntoIterator<Item = ContentPart>>(parts: I) -> Self {
        let mut content = Self::default();
        parts.into_iter().for_each(|part| content.push(part));
        content
    }
}

impl PartialEq<str> for Content {
    /// Compares the [`text`](Self::text).
    fn eq(&self, text: &str) -> bool {
        self.text() == text
    }
}

impl PartialEq<String> for Content {
    /// Compares the [`text`](Self::text).
    fn eq(&self, text: &String) -> bool {
        self.text() == *text
    }
}

impl PartialEq<&str> for Content {
    /// Compares the [`text`](Self::text).
    fn eq(&self, text: &&str) -> bool {
        self.text() == *text
    }
}
