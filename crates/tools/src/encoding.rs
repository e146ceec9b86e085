//! The encodings of text files: recognizing, reading and writing them.
//!
//! This module knows bytes and text. It knows no files.

/// The way in which the bytes of a file are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    Utf8 { mark: bool },
    Utf16 { is_big_endian: bool, mark: bool },
    Latin1,
}

use TextEncoding::{Latin1, Utf8, Utf16};

impl TextEncoding {
    /// Recognizes the encoding of a file by its first bytes. If `more` bytes follow, an incomplete
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
        let wrong = invalid_bytes(start, more);
        let high = start.iter().filter(|byte| !byte.is_ascii()).count();
        let is_latin = wrong == high && start.iter().all(|byte| !(0x80..0xa0).contains(byte));
        match is_latin {
            true if high <= 1 || high <= start.len() / 3 => Ok(Latin1),
            // A text may have a few wrong bytes.
            _ if wrong <= 1 || wrong <= start.len() / 10 => Ok(Utf8 { mark: false }),
            _ => Err("no UTF-8 text"),
        }
    }

    /// Returns the bytes as text without the byte order mark, and the number of bytes that became
    /// `�`.
    pub(crate) fn decode(self, bytes: &[u8]) -> (String, usize) {
        match self {
            Utf8 { mark } => {
                let bytes = &bytes[if mark { 3 } else { 0 }..];
                (String::from_utf8_lossy(bytes).into_owned(), invalid_bytes(bytes, false))
            }
            Utf16 { is_big_endian, mark } => {
                let (units, rest) = bytes[if mark { 2 } else { 0 }..].as_chunks();
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
            Latin1 => (bytes.iter().copied().map(char::from).collect(), 0),
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
            Latin1 => text.chars().map(|char| u8::try_from(char).map_err(|_| char)).collect(),
        }
    }

    /// Returns the name of the encoding, or `None` for UTF-8 without a mark.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Utf8 { mark: false } => None,
            Utf8 { mark: true } => Some("UTF-8 with a byte order mark"),
            Utf16 { is_big_endian: false, .. } => Some("UTF-16 (little endian)"),
            Utf16 { is_big_endian: true, .. } => Some("UTF-16 (big endian)"),
            Latin1 => Some("Latin-1"),
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

/// Returns the number of bytes that are not UTF-8. If `more` bytes follow, an incomplete character
/// at the end does not count.
fn invalid_bytes(bytes: &[u8], more: bool) -> usize {
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
const KINDS: [(&[u8], &str); 16] = [
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP, WAV or AVI file"),
    (b"%PDF-", "a PDF document"),
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
mod tests {
    use super::*;

    #[test]
    fn encodings_are_recognized_and_written_back() {
        for (bytes, name, text) in [
            (&b"plain"[..], None, "plain"),
            ("gr\u{fc}n".as_bytes(), None, "gr\u{fc}n"),
            (b"\xef\xbb\xbfmarked", Some("UTF-8 with a byte order mark"), "marked"),
            (b"\xff\xfea\0\n\0", Some("UTF-16 (little endian)"), "a\n"),
            (b"\xfe\xff\0a\0\n", Some("UTF-16 (big endian)"), "a\n"),
            (b"a\0b\0c\0d\0", Some("UTF-16 (little endian)"), "abcd"),
            (b"\0a\0b\0c\0d", Some("UTF-16 (big endian)"), "abcd"),
            (b"caf\xe9 au lait", Some("Latin-1"), "caf\u{e9} au lait"),
            (b"\xdcbergr\xf6\xdfe", Some("Latin-1"), "\u{dc}bergr\u{f6}\u{df}e"),
            (b"", None, ""),
        ] {
            let encoding = TextEncoding::detect(bytes, false).unwrap();
            assert_eq!(encoding.name(), name, "{bytes:?}");
            assert_eq!(encoding.decode(bytes), (text.to_owned(), 0));
            assert_eq!(encoding.encode(text).unwrap(), bytes);
        }
        assert_eq!(Latin1.encode("a\u{20ac}"), Err('\u{20ac}'));
    }

    #[test]
    fn what_is_no_text_is_described() {
        for (bytes, kind) in [
            (&b"a\0b"[..], "binary"),
            (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
            (b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n", "a PDF document"),
            (b"\xff\xfe\0\0a\0\0\0", "text in UTF-32"),
            (b"\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2", "no UTF-8 text"),
            (&[0; 64], "binary"),
        ] {
            assert_eq!(TextEncoding::detect(bytes, false), Err(kind));
        }
    }

    #[test]
    fn a_character_that_is_cut_is_not_wrong() {
        let bytes = "x\u{20ac}".as_bytes();
        assert_eq!(TextEncoding::detect(&bytes[..3], true), Ok(Utf8 { mark: false }));
        assert_eq!(Utf8 { mark: false }.decode(b"caf\xc3"), ("caf\u{fffd}".to_owned(), 1));
    }
}
