//! The text that a model reads of an answer: text, Markdown or JSON, and remarks about it.
//!
//! This module handles media types and the remarks. The answer was fetched before, and is cut
//! elsewhere.

use silcrow_event::Json;

use crate::body::FetchedBody;
use crate::charset;
use crate::error::{Error, ErrorKind};
use crate::html;
use crate::media_type::{MediaKind, MediaType};
use crate::web_url::WebUrl;

/// An answer as a model reads it.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) content: PageContent,
    /// The title, on one line.
    pub(crate) title: Option<String>,
    /// Remarks for the reader, one sentence each.
    pub(crate) remarks: Vec<String>,
    /// Whether the end is missing.
    pub(crate) is_incomplete: bool,
}

/// The content of a page.
#[derive(Debug)]
pub(crate) enum PageContent {
    Text(String),
    Json(Json),
}

impl Page {
    /// Reads a body. `whole` also keeps the parts around the main text of an HTML page.
    pub(crate) fn read(
        body: &FetchedBody,
        media_type: &MediaType,
        url: &WebUrl,
        whole: bool,
    ) -> Result<Self, Error> {
        if body.bytes.starts_with(b"%PDF-") {
            return Err(binary("a PDF"));
        }
        let decoded = charset::decode(&body.bytes, media_type.charset.as_deref());
        // The bytes of UTF-16 have zeros, but its text has none.
        if decoded.text.chars().take(BINARY_WITHIN).any(|char| char == '\0') {
            return Err(binary("no text"));
        }
        let mut page = Self {
            content: PageContent::Text(String::new()),
            title: None,
            remarks: body.gap.iter().map(ToString::to_string).chain(decoded.notice).collect(),
            is_incomplete: body.gap.is_some(),
        };
        let kind = match media_type.kind() {
            MediaKind::Text if media_type.name.is_empty() && is_html(&decoded.text) => {
                MediaKind::Html
            }
            kind => kind,
        };
        page.content = match kind {
            MediaKind::Html => {
                let html = html::to_markdown(&decoded.text, url, whole);
                page.title = html.title;
                page.remarks.extend(html.omissions);
                PageContent::Text(html.markdown)
            }
            MediaKind::Json => match Json::parse(&decoded.text) {
                Some(json) => PageContent::Json(json),
                None => PageContent::Text(decoded.text),
            },
            MediaKind::Text => PageContent::Text(decoded.text),
            MediaKind::Medium(what) | MediaKind::Binary(what) => return Err(binary(what)),
        };
        Ok(page)
    }
}

/// Returns the error for something that is not text.
pub(crate) fn binary(what: &str) -> Error {
    let message = format!("it is {what}, which this tool does not read");
    Error::new(ErrorKind::Answer, message)
}

/// Returns whether a text without a type is a page.
fn is_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(15).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// The number of characters that decide whether a body is text.
const BINARY_WITHIN: usize = 4096;
