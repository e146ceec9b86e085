//! From the bytes of a page to text.
//!
//! This module finds a page's encoding: by a mark at its start, by the header, by a first tag in
//! UTF-16, or by a `meta` tag. Without any of them it is UTF-8 if the bytes are valid, and
//! otherwise windows-1252, which is latin-1 with more characters.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Text, and how certain it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageText {
    pub(crate) text: String,
    /// A remark about the encoding for the reader, as a sentence.
    pub(crate) notice: Option<String>,
}

/// Decodes the bytes of a page whose header names this encoding, or none.
pub(crate) fn decode(bytes: &[u8], header: Option<&str>) -> PageText {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return with(encoding, &bytes[length..], None);
    }
    let from_header = header.and_then(|label| Encoding::for_label(label.as_bytes()));
    // UTF-16 has a zero in each simple character, so a text without zeros is not in UTF-16,
    // whatever a header says.
    let is_narrow = !bytes.contains(&0) && str::from_utf8(bytes).is_ok();
    let from_header = from_header.filter(|encoding| !(is_narrow && is_wide(encoding)));
    let unknown = header.filter(|_| from_header.is_none()).map(|_| {
        "the server names a character encoding that is not known or not used, so it was guessed"
            .to_owned()
    });
    if let Some(encoding) = from_header.or_else(|| wide(bytes)).or_else(|| declared(bytes)) {
        return with(encoding, bytes, unknown);
    }
    match str::from_utf8(bytes) {
        Ok(text) => PageText { text: text.to_owned(), notice: unknown },
        Err(_) => {
            let guess = "the page names no character encoding; it was read as windows-1252";
            with(WINDOWS_1252, bytes, Some(guess.to_owned()))
        }
    }
}

fn with(encoding: &'static Encoding, bytes: &[u8], notice: Option<String>) -> PageText {
    let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
    let wrong = || {
        let name = encoding.name();
        format!("some bytes are not valid {name}; U+FFFD takes the place of each")
    };
    let notice = if has_errors { Some(wrong()) } else { notice };
    PageText { text: text.into_owned(), notice }
}

/// Returns the encoding that a `meta` tag at the beginning of a page names.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(DECLARED_WITHIN)];
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    let mut tags = start.split("<meta").skip(1);
    let label = tags.find_map(|tag| {
        let tag = tag.split('>').next()?;
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        value.split(|char: char| char.is_whitespace() || "\"';/".contains(char)).next()
    });
    let encoding = Encoding::for_label(label?.as_bytes())?;
    // A tag that can be read as ASCII is not in UTF-16, whatever encoding it names.
    Some(if is_wide(encoding) { UTF_8 } else { encoding })
}

/// Returns the kind of UTF-16 of a page that begins with a tag in it and without a mark.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z', 0, ..] => Some(UTF_16LE),
        [0, b'<', 0, b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z', ..] => Some(UTF_16BE),
        _ => None,
    }
}

fn is_wide(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// The number of bytes in which a `meta` tag is searched.
const DECLARED_WITHIN: usize = 4096;
