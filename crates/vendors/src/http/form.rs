use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::body::Body;

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As a stream of events.
    Events,
    /// As one JSON text.
    Whole,
}

impl Form {
    /// The form of a body of this type, or, where servers label it carelessly, by how it begins;
    /// `None` if neither tells.
    pub(super) async fn of(media_type: &str, body: &mut Body) -> Option<Self> {
        if media_type == "text/event-stream" {
            return Some(Self::Events);
        }
        if !CARELESS.contains(&media_type) {
            return None;
        }
        let begins = body.look(|bytes| {
            let text = text(bytes);
            Self::begins(text).is_some() || text.len() >= LONGEST || bytes.len() > BLANK
        });
        let is_json = media_type == "application/json";
        Self::begins(text(begins.await)).or_else(|| is_json.then_some(Self::Whole))
    }

    /// The form of a body that begins so, if that tells.
    fn begins(text: &[u8]) -> Option<Self> {
        if text.starts_with(b"{") || text.starts_with(b"[") {
            return Some(Self::Whole);
        }
        FIELDS.iter().any(|field| text.starts_with(field)).then_some(Self::Events)
    }
}

/// Returns the type without its parameters, in small letters; empty if there is none.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let kind = String::from_utf8_lossy(kind).to_ascii_lowercase();
    kind.split(';').next().unwrap_or_default().trim().to_owned()
}

/// The bytes without a byte order mark and white space at their beginning.
fn text(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start()
}

/// Types that servers give to answers of either form.
const CARELESS: [&str; 4] = ["application/json", "application/octet-stream", "text/plain", ""];

/// What a stream of events begins with: a comment, or a field.
const FIELDS: [&[u8]; 5] = [b":", b"data:", b"event:", b"id:", b"retry:"];

/// The length of the longest of them.
const LONGEST: usize = 6;

/// The most bytes of white space that are looked past.
const BLANK: usize = 1 << 10;
