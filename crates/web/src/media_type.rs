//! The kind of an answer, by its `Content-Type`.
//!
//! This module parses the header only; a body without a type is examined elsewhere.

/// The value of a `Content-Type`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// The type in lower case, such as `text/html`; empty if the server says none.
    pub(crate) name: String,
    /// The name of the character encoding.
    pub(crate) charset: Option<String>,
}

/// The way an answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaKind {
    Html,
    Json,
    /// Text that is returned as it is, if its bytes are text.
    Text,
    /// A picture or a PDF. The words name it, for the model.
    Medium(&'static str),
    /// Something else that is not text. The words name it, for the model.
    Binary(&'static str),
}

impl MediaType {
    pub(crate) fn parse(header: Option<&str>) -> Self {
        let mut parts = header.unwrap_or_default().split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"/+-._".contains(&byte);
        let is_valid = name.len() <= 100 && name.contains('/') && name.bytes().all(is_name);
        let charset = parts.find_map(|part| {
            let (key, value) = part.split_once('=')?;
            let value = value.trim().trim_matches('"');
            key.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
        });
        Self { name: if is_valid { name } else { String::new() }, charset }
    }

    pub(crate) fn kind(&self) -> MediaKind {
        let (class, form) = self.name.split_once('/').unwrap_or_default();
        match (class, form) {
            ("text", "html") | ("application", "xhtml+xml") => MediaKind::Html,
            ("application", "json" | "x-json") | ("text", "json") => MediaKind::Json,
            _ if form.ends_with("+json") => MediaKind::Json,
            (_, "pdf" | "x-pdf") => MediaKind::Medium("a PDF"),
            ("image", "svg+xml") => MediaKind::Text,
            ("image", _) => MediaKind::Medium("an image"),
            ("audio", _) => MediaKind::Binary("a sound"),
            ("video", _) => MediaKind::Binary("a video"),
            ("font", _) => MediaKind::Binary("a font"),
            ("application", "zip" | "gzip" | "x-gzip" | "x-tar" | "x-7z-compressed") => {
                MediaKind::Binary("an archive")
            }
            _ => MediaKind::Text,
        }
    }
}
