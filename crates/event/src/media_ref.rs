//! A picture, document or sound in a message or in a result.
//!
//! This module defines the name of the bytes, the line that describes them in a text, and the JSON.
//! The bytes are beside the log, under their hash. They are in memory only between the store and a
//! request.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::fields::Fields;
use crate::json::Object;

/// A picture, document or sound that a store keeps outside the log.
///
/// The event names it, and never contains its bytes. A program that sends one attaches them with
/// [`new`](Self::new); the code that stores the event keeps the bytes first, and sets
/// [`hash`](Self::hash) and [`number`](Self::number). Clones share the bytes, so loading them for
/// one copy loads them for all. Two media are equal if they are described in the same way, whether
/// their bytes are loaded or not.
///
/// ```
/// use silcrow_event::{Content, ContentPart, MediaRef};
///
/// let png = b"\x89PNG\r\n\x1a\n...".to_vec();
/// let shot = MediaRef::new("image/png", png).with_name("shot.png").with_size(1280, 800);
/// let mut prompt = Content::from("What is wrong here?");
/// prompt.push(ContentPart::Media(Box::new(shot)));
/// assert_eq!(prompt.text(), "What is wrong here?\n[image: shot.png, PNG, 1280 × 800]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MediaRef {
    /// `sha256:` and the hex digits of the hash of the bytes that are sent; empty until they are
    /// kept.
    pub hash: String,
    /// The number within the conversation, from 1, by which the model and the person name it; `None` until
    /// it is kept. The same bytes have the same number.
    pub number: Option<u32>,
    /// The type in MIME, such as `image/png`.
    pub mime: String,
    /// The number of bytes.
    pub bytes: u64,
    /// The size of a picture in pixels, as it is sent: its width and its height.
    pub size: Option<(u32, u32)>,
    /// The size of the picture that it was made from, if that was larger.
    pub original: Option<(u32, u32)>,
    /// The name of the file, or a word for its source.
    pub name: String,
    /// A description of the picture, if somebody gave one.
    pub alt: String,
    /// The text of a document, for a model that does not read documents. It is not part of
    /// [`line`](Self::line).
    pub text: String,
    data: MediaData,
}

/// The bytes of a medium, once somebody has loaded them. Clones share them.
#[derive(Clone, Default)]
struct MediaData(Arc<OnceLock<Arc<[u8]>>>);

impl MediaRef {
    /// Creates a medium of a type from its bytes, which are not stored yet.
    pub fn new(mime: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let data = MediaData::default();
        let (mime, count) = (mime.into(), bytes.len() as u64);
        // It is empty, so this always succeeds.
        let _ = data.0.set(bytes);
        Self {
            hash: String::new(),
            number: None,
            mime,
            bytes: count,
            size: None,
            original: None,
            name: String::new(),
            alt: String::new(),
            text: String::new(),
            data,
        }
    }

    /// Sets the name of the file.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets the width and the height of a picture in pixels.
    #[must_use]
    pub fn with_size(self, width: u32, height: u32) -> Self {
        Self { size: Some((width, height)), ..self }
    }

    /// Sets the width and the height of the picture that this one was made from.
    #[must_use]
    pub fn with_original(self, original: impl Into<Option<(u32, u32)>>) -> Self {
        Self { original: original.into(), ..self }
    }

    /// Sets the description of the medium.
    #[must_use]
    pub fn with_alt(self, alt: impl Into<String>) -> Self {
        Self { alt: alt.into(), ..self }
    }

    /// Sets the text of the document.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }

    /// Returns the bytes if they are loaded.
    pub fn data(&self) -> Option<&[u8]> {
        self.data.0.get().map(AsRef::as_ref)
    }

    /// Gives this medium and all its clones the bytes, unless they have some already.
    pub fn load(&self, bytes: impl Into<Arc<[u8]>>) {
        let _ = self.data.0.set(bytes.into());
    }

    /// Returns the same medium without the bytes, which this one and its clones keep.
    #[must_use]
    pub fn unloaded(&self) -> Self {
        Self { data: MediaData::default(), ..self.clone() }
    }

    /// Returns whether it is a picture.
    pub fn is_image(&self) -> bool {
        self.mime.starts_with("image/")
    }

    /// Returns whether it is a sound.
    pub fn is_sound(&self) -> bool {
        self.mime.starts_with("audio/")
    }

    /// Returns the line that stands for it in a text: `[image 2: shot.png, PNG, 1280 × 800]`. Nothing in
    /// a name can end the line or pass for a delimiter.
    pub fn line(&self) -> String {
        self.line_with("")
    }

    /// Returns the [`line`](Self::line) with a remark at its end.
    pub fn line_with(&self, remark: &str) -> String {
        let mut line = format!("[{}", self.kind());
        if let Some(number) = self.number {
            line.push_str(&format!(" {number}"));
        }
        line.push_str(": ");
        if !self.name.is_empty() {
            line.push_str(&harmless(&self.name, 80));
            line.push_str(", ");
        }
        line.push_str(&self.format());
        match (self.size, self.original) {
            (Some((width, height)), None) => line.push_str(&format!(", {width} × {height}")),
            (Some((width, height)), Some((whole_width, whole_height))) => {
                let factor = f64::from(whole_width) / f64::from(width.max(1));
                line.push_str(&format!(
                    ", {width} × {height}, {factor:.2} times smaller than the original of \
                     {whole_width} × {whole_height}"
                ));
            }
            _ => line.push_str(&format!(", {} kB", self.bytes.div_ceil(1000))),
        }
        if !self.alt.is_empty() {
            line.push_str(": ");
            line.push_str(&harmless(&self.alt, 2000));
        }
        if !remark.is_empty() {
            line.push_str("; ");
            line.push_str(remark);
        }
        line.push(']');
        line
    }

    /// Returns the word for its kind: `image`, `sound` or `document`.
    pub fn kind(&self) -> &'static str {
        match () {
            () if self.is_image() => "image",
            () if self.is_sound() => "sound",
            () => "document",
        }
    }

    /// Returns the name of the format that people know, such as `PNG`.
    pub fn format(&self) -> String {
        match self.mime.rsplit('/').next().unwrap_or_default() {
            "webp" => "WebP".to_owned(),
            "mpeg" => "MP3".to_owned(),
            "ogg" => "Ogg".to_owned(),
            other => harmless(other, 20).to_ascii_uppercase(),
        }
    }

    /// Returns the JSON of the medium: an object on one line, as section 8 of the protocol has it.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut object = Object::open(&mut out);
        self.write(&mut object);
        object.close();
        out
    }

    /// Reads the JSON of a medium. Returns `None` if it is not one.
    pub fn parse(json: &str) -> Option<Self> {
        Self::read(&Fields::read(json).ok()?)
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("hash", &self.hash);
        if let Some(number) = self.number {
            to.integer("number", number.into());
        }
        to.string("type", &self.mime);
        to.integer("bytes", self.bytes);
        write_size(self.size, to);
        to.string("name", &self.name);
        if !self.alt.is_empty() {
            to.string("alt", &self.alt);
        }
        if self.original.is_some() {
            to.object("original", |to| write_size(self.original, to));
        }
        if !self.text.is_empty() {
            to.string("text", &self.text);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        Some(Self {
            hash: fields.maybe("hash")?,
            number: fields.number("number"),
            mime: fields.maybe("type")?,
            bytes: fields.number("bytes").unwrap_or_default(),
            size: read_size(fields),
            original: fields.object("original").and_then(|fields| read_size(&fields)),
            name: fields.maybe("name").unwrap_or_default(),
            alt: fields.maybe("alt").unwrap_or_default(),
            text: fields.maybe("text").unwrap_or_default(),
            data: MediaData::default(),
        })
    }
}

fn write_size(size: Option<(u32, u32)>, to: &mut Object<'_>) {
    if let Some((width, height)) = size {
        to.integer("width", width.into());
        to.integer("height", height.into());
    }
}

fn read_size(fields: &Fields<'_>) -> Option<(u32, u32)> {
    fields.number("width").zip(fields.number("height"))
}

/// Returns the beginning of a text, in which nothing ends a line or is a delimiter.
fn harmless(text: &str, most: usize) -> String {
    let safe = |char: char| match char {
        '[' | ']' | '§' | '<' | '>' | '"' | '\\' | '`' => '_',
        char if char.is_control() => ' ',
        char => char,
    };
    text.chars().take(most).map(safe).collect()
}

impl PartialEq for MediaData {
    /// Bytes are equal: the hash tells media apart.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for MediaData {}

impl Hash for MediaData {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for MediaData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get() {
            Some(bytes) => write!(f, "{} bytes", bytes.len()),
            None => f.write_str("not loaded"),
        }
    }
}
