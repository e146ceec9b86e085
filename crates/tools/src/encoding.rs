//! The encodings of text files: recognizing, reading and writing them.
//!
//! This module converts bytes and text, and opens no files. `legacy_encoding` detects a legacy
//! encoding.

use encoding_rs::{DecoderResult, EncoderResult, Encoding};

use crate::legacy_encoding;

/// The encoding of a file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    Utf8 {
        mark: bool,
    },
    Utf16 {
        is_big_endian: bool,
        mark: bool,
    },
    /// An encoding from before Unicode that contains ASCII.
    Legacy(&'static Encoding),
}

use TextEncoding::{Legacy, Utf8, Utf16};

impl TextEncoding {
    /// Recognizes the encoding of a file by its first bytes: by a byte order mark, by a
    /// declaration, or by their most likely encoding. If `more` bytes follow, an incomplete
    /// character at the end does not count.
    ///
    /// # Errors
    ///
    /// Returns a description of the bytes if they are not text.
    pub(crate) fn detect(start: &[u8], more: bool) -> Result<Self, &'static str> {
        match start {
            [0xef, 0xbb, 0xbf, rest @ ..] if is_utf8(rest, more) => return Ok(Utf8 { mark: true }),
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Err("text in UTF-32"),
            [0xff, 0xfe, ..] => return Ok(Utf16 { is_big_endian: false, mark: true }),
            [0xfe, 0xff, ..] => return Ok(Utf16 { is_big_endian: true, mark: true }),
            // A document may be written in ASCII alone.
            [b'%', b'P', b'D', b'F', b'-', ..] => return Err("a PDF document"),
            _ if is_utf8(start, more) => return Ok(Utf8 { mark: false }),
            _ => {}
        }
        if let Some((_, kind)) = KINDS.iter().find(|(magic, _)| start.starts_with(magic)) {
            return Err(kind);
        }
        if start.contains(&0) {
            let is_wide = |first: usize| is_wide_text(start, first);
            return match (is_wide(0), is_wide(1)) {
                (false, true) => Ok(Utf16 { is_big_endian: false, mark: false }),
                (true, false) => Ok(Utf16 { is_big_endian: true, mark: false }),
                _ => Err("binary"),
            };
        }
        if has_control_characters(start) {
            return Err("binary");
        }
        // A text may have a few wrong bytes.
        if is_mostly_utf8(start, more) {
            return Ok(Utf8 { mark: false });
        }
        legacy_encoding::find(start, more).map(Legacy).ok_or("no text in a known encoding")
    }

    /// Returns the encoding of a whole file whose first bytes look like this one: a legacy encoding
    /// may show only later.
    pub(crate) fn reconsidered(self, content: &[u8]) -> Self {
        let is_plain = self == Utf8 { mark: false } && !is_utf8(content, false);
        if !is_plain || content.contains(&0) || is_mostly_utf8(content, false) {
            return self;
        }
        legacy_encoding::find(content, false).map_or(self, Legacy)
    }

    /// Returns the encoding with a name or another label, as on the web.
    pub(crate) fn named(label: &str) -> Result<Self, String> {
        let found = Encoding::for_label(label.as_bytes());
        let found = found.filter(|found| *found != encoding_rs::REPLACEMENT);
        let found = found.ok_or_else(|| {
            format!(
                "`encoding` is {label:?}, which is not a known encoding; write a name such as `utf-8`, \
                 `windows-1252` or `shift_jis`"
            )
        })?;
        Ok(match found {
            found if found == encoding_rs::UTF_8 => Utf8 { mark: false },
            found if found == encoding_rs::UTF_16LE => Utf16 { is_big_endian: false, mark: true },
            found if found == encoding_rs::UTF_16BE => Utf16 { is_big_endian: true, mark: true },
            found => Legacy(found),
        })
    }

    /// Returns the encoding with the byte order mark that the bytes have, or with none.
    pub(crate) fn with_mark_of(self, start: &[u8]) -> Self {
        match self {
            Utf8 { .. } => Utf8 { mark: start.starts_with(b"\xef\xbb\xbf") },
            Utf16 { is_big_endian, .. } => {
                let mark: &[u8] = if is_big_endian { b"\xfe\xff" } else { b"\xff\xfe" };
                Utf16 { is_big_endian, mark: start.starts_with(mark) }
            }
            Legacy(_) => self,
        }
    }

    /// Returns the number of bytes of the byte order mark.
    pub(crate) const fn mark_length(self) -> usize {
        match self {
            Utf8 { mark: true } => 3,
            Utf16 { mark: true, .. } => 2,
            _ => 0,
        }
    }

    /// Returns the bytes as text without the byte order mark, and the number of bytes that became
    /// `�`.
    pub(crate) fn decode(self, bytes: &[u8]) -> (String, usize) {
        let unmarked = &bytes[self.mark_length().min(bytes.len())..];
        match self {
            Utf8 { .. } => {
                (String::from_utf8_lossy(unmarked).into_owned(), invalid_bytes(unmarked, false))
            }
            Utf16 { is_big_endian, .. } => {
                let (units, rest) = unmarked.as_chunks();
                let number = if is_big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
                let mut wrong = rest.len();
                let chars = char::decode_utf16(units.iter().map(|unit| number(*unit)));
                let text = chars.map(|char| {
                    char.unwrap_or_else(|_| {
                        wrong += 2;
                        char::REPLACEMENT_CHARACTER
                    })
                });
                let text = text.collect();
                (text, wrong)
            }
            Legacy(encoding) => decode_legacy(encoding, unmarked),
        }
    }

    /// Returns the text as bytes, with the byte order mark, or the first character that the
    /// encoding does not have.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        match self {
            Utf8 { mark } => {
                let mark: &[u8] = if mark { b"\xef\xbb\xbf" } else { b"" };
                Ok([mark, text.as_bytes()].concat())
            }
            Utf16 { is_big_endian, mark } => {
                let bytes = if is_big_endian { u16::to_be_bytes } else { u16::to_le_bytes };
                let mark = mark.then_some(0xfeff);
                Ok(mark.into_iter().chain(text.encode_utf16()).flat_map(bytes).collect())
            }
            Legacy(encoding) => {
                let mut encoder = encoding.new_encoder();
                let most = encoder.max_buffer_length_from_utf8_without_replacement(text.len());
                let mut bytes = Vec::with_capacity(most.unwrap_or(text.len()));
                match encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true).0
                {
                    EncoderResult::InputEmpty => Ok(bytes),
                    EncoderResult::Unmappable(char) => Err(char),
                    EncoderResult::OutputFull => unreachable!("there is room for all"),
                }
            }
        }
    }

    /// Returns the name of the encoding, or `None` for UTF-8 without a byte order mark.
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Utf8 { mark: false } => None,
            Utf8 { mark: true } => Some("UTF-8 with a byte order mark"),
            Utf16 { is_big_endian: false, .. } => Some("UTF-16 (little endian)"),
            Utf16 { is_big_endian: true, .. } => Some("UTF-16 (big endian)"),
            Legacy(encoding) => Some(encoding.name()),
        }
    }
}

/// Returns bytes as text, and the number of places that are not text.
fn decode_legacy(encoding: &'static Encoding, bytes: &[u8]) -> (String, usize) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let most = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len());
    let mut text = String::with_capacity(most);
    let (mut rest, mut wrong) = (bytes, 0);
    loop {
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        rest = &rest[read..];
        match result {
            DecoderResult::InputEmpty => return (text, wrong),
            DecoderResult::OutputFull => text.reserve(rest.len() + 16),
            DecoderResult::Malformed(..) => {
                wrong += 1;
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }
}

fn is_utf8(bytes: &[u8], more: bool) -> bool {
    let valid = match str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => more && error.error_len().is_none(),
    };
    valid && !bytes.contains(&0)
}

/// Returns whether bytes have so many characters of UTF-8 beyond ASCII that the invalid ones must
/// be mistakes. In other encodings some pairs of bytes look like such a character, and hardly any
/// three.
fn is_mostly_utf8(bytes: &[u8], more: bool) -> bool {
    let weight = |byte: u8| match byte {
        0xc0..=0xdf => 1,
        0xe0.. => 3,
        _ => 0,
    };
    let weights = |chunk: std::str::Utf8Chunk<'_>| chunk.valid().bytes().map(weight).sum::<usize>();
    let valid: usize = bytes.utf8_chunks().map(weights).sum();
    valid > 0 && valid >= invalid_bytes(bytes, more)
}

/// Returns whether bytes have more control characters than a text has.
fn has_control_characters(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 1..=6 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    bytes.iter().filter(is_control).count() > bytes.len() / 100
}

/// Returns the number of bytes that are not UTF-8. If `more` bytes follow, an incomplete character
/// at the end does not count.
pub(crate) fn invalid_bytes(bytes: &[u8], more: bool) -> usize {
    let wrong = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    match bytes.utf8_chunks().last().map(|chunk| chunk.invalid()) {
        Some(end) if more && is_cut(end) => wrong - end.len(),
        _ => wrong,
    }
}

/// Returns whether these are the first bytes of a character.
fn is_cut(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Returns whether every second byte, from the byte `first`, is NUL for the most part, and the others
/// are not.
fn is_wide_text(bytes: &[u8], first: usize) -> bool {
    let nul = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let pairs = bytes.len() / 2;
    pairs >= 4 && nul(first) * 10 >= pairs * 7 && nul(1 - first) == 0
}

/// The first bytes of common kinds of files.
const KINDS: [(&[u8], &str); 15] = [
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP, WAV or AVI file"),
    (b"PK\x03\x04", "a ZIP archive, or a document made as one"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x7fELF", "an ELF program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"MZ", "a Windows program or library"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "an SQLite database"),
];

#[cfg(test)]
mod tests;
