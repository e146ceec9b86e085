//! The text of a file in a form from which every byte of it can be written again.
//!
//! Bytes that do not decode, and characters that their encoding would write with other bytes, become
//! characters that no text has, one for each byte. So an edit elsewhere keeps them.

use crate::encoding::TextEncoding;

/// A text that stands for exact bytes.
#[derive(Debug)]
pub(crate) struct ExactText {
    pub(crate) text: String,
    encoding: TextEncoding,
    /// Whether characters of the text stand for bytes.
    has_bytes: bool,
}

impl ExactText {
    /// Reads bytes, or returns the number of those that cannot be kept.
    pub(crate) fn decode(encoding: TextEncoding, bytes: &[u8]) -> Result<Self, usize> {
        let (text, wrong) = encoding.decode(bytes);
        if wrong == 0 && encoding.encode(&text).is_ok_and(|again| again == bytes) {
            return Ok(Self { text, encoding, has_bytes: false });
        }
        if matches!(encoding, TextEncoding::Utf16 { .. }) || text.contains(is_byte) {
            return Err(wrong.max(1));
        }
        let unmarked = &bytes[encoding.mark_length()..];
        let mut text = String::with_capacity(unmarked.len());
        for line in unmarked.split_inclusive(|byte| *byte == b'\n') {
            push_line(encoding, line, &mut text);
        }
        Ok(Self { text, encoding, has_bytes: true })
    }

    /// Returns another text as bytes, with the bytes that it has from this one, or the first character
    /// that the encoding does not have.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u8>, char> {
        if !self.has_bytes {
            return self.encoding.encode(text);
        }
        let mut bytes = self.encoding.encode("")?;
        let unmarked = self.encoding.with_mark_of(b"");
        let mut rest = text;
        while let Some(at) = rest.find(is_byte) {
            bytes.extend(unmarked.encode(&rest[..at])?);
            let end = rest.ceil_char_boundary(at + 1);
            bytes.extend(rest[at..end].chars().filter_map(byte_of));
            rest = &rest[end..];
        }
        bytes.extend(unmarked.encode(rest)?);
        Ok(bytes)
    }

    /// Returns a text as a person reads it, with `�` for bytes that do not decode.
    pub(crate) fn shown(&self, text: &str) -> String {
        match self.has_bytes {
            true => text.replace(is_byte, "\u{fffd}"),
            false => text.to_owned(),
        }
    }
}

/// Appends a line.
fn push_line(encoding: TextEncoding, line: &[u8], text: &mut String) {
    let unmarked = encoding.with_mark_of(b"");
    let is_exact = |bytes: &[u8]| {
        let (text, wrong) = unmarked.decode(bytes);
        (wrong == 0 && unmarked.encode(&text).is_ok_and(|again| again == bytes)).then_some(text)
    };
    if let Some(exact) = is_exact(line) {
        text.push_str(&exact);
        return;
    }
    let mut rest = line;
    while let Some(byte) = rest.first() {
        // A character has at most four bytes.
        let lengths = if byte.is_ascii() { 1..=1 } else { 1..=rest.len().min(4) };
        let char = lengths.clone().find_map(|length| {
            let exact = is_exact(&rest[..length])?;
            (exact.chars().count() == 1).then_some((exact, length))
        });
        match char {
            Some((char, length)) => {
                text.push_str(&char);
                rest = &rest[length..];
            }
            None => {
                text.extend(char::from_u32(FIRST + u32::from(*byte)));
                rest = &rest[1..];
            }
        }
    }
}

/// Returns whether a character stands for a byte.
fn is_byte(char: char) -> bool {
    byte_of(char).is_some()
}

fn byte_of(char: char) -> Option<u8> {
    u32::from(char).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok())
}

/// The character for the byte 0, among those at the end of Unicode that are for private use.
const FIRST: u32 = 0x10_fe00;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn legacy(label: &str) -> TextEncoding {
        TextEncoding::named(label).unwrap()
    }

    #[test]
    fn invalid_bytes_are_kept_elsewhere() {
        for (label, before, after) in [
            ("utf-8", &b"old \xff \xc3\xa9\n\xc3"[..], &b"new \xff \xc3\xa9\n\xc3"[..]),
            ("shift_jis", b"old \x83R \xa0\xff\n\x83", b"new \x83R \xa0\xff\n\x83"),
            // A second spelling of a character, which would be written in the first one.
            ("shift_jis", b"old \xfa\x54 \x81\xca", b"new \xfa\x54 \x81\xca"),
            ("windows-1252", b"old \x81\x93\x94", b"new \x81\x93\x94"),
            ("gbk", b"old \x80\xff\xd6\xd0", b"new \x80\xff\xd6\xd0"),
        ] {
            let exact = ExactText::decode(legacy(label), before).unwrap();
            let new = exact.text.replace("old", "new");
            assert_eq!(exact.encode(&new).unwrap(), after, "{label}");
        }
    }

    #[test]
    fn unencodable_character_is_named() {
        let exact = ExactText::decode(legacy("windows-1252"), b"caf\xe9").unwrap();
        assert_eq!(exact.encode("caf\u{e9} \u{2192}"), Err('\u{2192}'));
        let exact = ExactText::decode(legacy("shift_jis"), b"\xa0 a").unwrap();
        assert_eq!(exact.encode("\u{e9}"), Err('\u{e9}'));
        assert_eq!(exact.shown(&exact.text), "\u{fffd} a");
    }

    proptest! {
        #[test]
        fn any_bytes_are_written_again(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            label in prop::sample::select(vec![
                "utf-8", "windows-1252", "windows-1251", "koi8-r", "shift_jis", "euc-jp", "gbk",
                "gb18030", "big5", "euc-kr", "iso-8859-2", "macintosh", "x-user-defined",
            ]),
        ) {
            let encoding = legacy(label).with_mark_of(&bytes);
            if let Ok(exact) = ExactText::decode(encoding, &bytes) {
                prop_assert_eq!(exact.encode(&exact.text).unwrap(), bytes);
            }
        }
    }
}
