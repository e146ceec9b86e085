//! The form of a response's body: a stream of events or one JSON text.

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::body::ResponseBody;

/// The form of a response's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyForm {
    /// A stream of events.
    Events,
    /// One JSON text.
    Whole,
}

impl BodyForm {
    /// Returns the form of a body with this type, or `None` if it cannot be determined. For types
    /// that servers use carelessly, the beginning of the body decides.
    pub(super) async fn detect(media_type: &str, body: &mut ResponseBody) -> Option<Self> {
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

    /// Returns the form of a body that begins with this text, if that is conclusive.
    fn begins(text: &[u8]) -> Option<Self> {
        if text.starts_with(b"{") || text.starts_with(b"[") {
            return Some(Self::Whole);
        }
        FIELDS.iter().any(|field| text.starts_with(field)).then_some(Self::Events)
    }
}

/// Returns the type without its parameters, in lower case, or an empty string.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let kind = String::from_utf8_lossy(kind).to_ascii_lowercase();
    kind.split(';').next().unwrap_or_default().trim().to_owned()
}

/// Returns the bytes without a byte order mark and white space at their beginning.
fn text(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start()
}

/// Types that servers use for both forms.
const CARELESS: [&str; 4] = ["application/json", "application/octet-stream", "text/plain", ""];

/// The possible beginnings of a stream of events: a comment or a field.
const FIELDS: [&[u8]; 5] = [b":", b"data:", b"event:", b"id:", b"retry:"];

/// The length of the longest beginning.
const LONGEST: usize = 6;

/// The maximum number of bytes of white space before it.
const BLANK: usize = 1 << 10;
