//! The marks around other people's texts in the messages to a model.
//!
//! This module makes a mark of bytes, writes it and removes it.

use std::borrow::Cow;
use std::fmt;

/// A key derived from earlier bytes of the conversation, such as its words and times, so that text
/// written without them cannot forge a mark.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct DataKey([u64; 2]);

/// A word that begins and ends other people's texts.
///
/// ```
/// use silcrow_event::{DataKey, DataMark};
///
/// let mark = DataKey::default().with_bytes(b"what nobody knows").mark();
/// let text = mark.wrap("a page");
/// assert_eq!(text, format!("[data {0}]\na page\n[end {0}]", mark.as_str()));
/// assert_eq!(DataMark::unwrap(&text), "a page");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DataMark([u8; LENGTH]);

impl DataKey {
    /// Returns the key with more bytes, which any of its marks then depends on.
    #[must_use]
    pub fn with_bytes(self, bytes: &[u8]) -> Self {
        let [first, second] = self.0;
        let hash = siphash(self.0, bytes);
        let other = siphash([second, first], &(!hash).to_le_bytes());
        Self([siphash([first, second], &hash.to_le_bytes()), other])
    }

    /// Returns the mark. It says nothing about the key.
    pub fn mark(self) -> DataMark {
        let mut rest = siphash(self.0, &MARK);
        let mut mark = [FIRST; LENGTH];
        for letter in &mut mark[1..] {
            *letter = LETTERS[(rest % LETTERS.len() as u64) as usize];
            rest /= LETTERS.len() as u64;
        }
        DataMark(mark)
    }
}

impl DataMark {
    /// Returns the mark as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("letters are ASCII")
    }

    /// Returns the text between two lines with the mark. If the text itself contains the mark, its
    /// copy there gets another hyphen after the first letter.
    pub fn wrap(&self, text: &str) -> String {
        let mark = self.as_str();
        let text = hyphened(text, mark, |hyphens| Some(hyphens + 1));
        format!("{OPEN}{mark}{CLOSE}\n{text}\n{END}{mark}{CLOSE}")
    }

    /// Returns the text without the lines of marks, as it was before [`wrap`](Self::wrap).
    pub fn unwrap(text: &str) -> Cow<'_, str> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(marked) = MarkedText::find(rest) {
            out.push_str(marked.before);
            let fewer = |hyphens: usize| hyphens.checked_sub(1);
            out.push_str(&hyphened(marked.text, marked.mark, fewer));
            rest = marked.after;
        }
        if out.is_empty() && rest.len() == text.len() {
            return Cow::Borrowed(text);
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

/// A text between two lines with one mark, and the text around it.
struct MarkedText<'a> {
    before: &'a str,
    mark: &'a str,
    text: &'a str,
    after: &'a str,
}

impl<'a> MarkedText<'a> {
    /// Finds the first one whose mark begins and ends it, each on its own line.
    fn find(whole: &'a str) -> Option<Self> {
        let mut from = 0;
        loop {
            let start = from + whole[from..].find(OPEN)?;
            from = start + OPEN.len();
            let is_line_start = start == 0 || whole[..start].ends_with('\n');
            let Some(mark) = whole.get(from..from + LENGTH).filter(|mark| is_mark(mark)) else {
                continue;
            };
            let Some(inner) = whole[from + LENGTH..].strip_prefix(CLOSE) else { continue };
            let Some(inner) = inner.strip_prefix('\n').filter(|_| is_line_start) else { continue };
            let end = format!("\n{END}{mark}{CLOSE}");
            let Some(length) = inner.find(&end) else { continue };
            let after = &inner[length + end.len()..];
            if after.is_empty() || after.starts_with('\n') {
                return Some(Self { before: &whole[..start], mark, text: &inner[..length], after });
            }
        }
    }
}

/// Returns the text with other numbers of hyphens in the marks that it contains.
fn hyphened<'a>(text: &'a str, mark: &str, count: impl Fn(usize) -> Option<usize>) -> Cow<'a, str> {
    let (first, rest) = mark.split_at(1);
    let mut out = String::new();
    let mut written = 0;
    for (at, _) in text.match_indices(rest) {
        let before = text[..at].trim_end_matches('-');
        let Some(count) = count(at - before.len()).filter(|_| before.ends_with(first)) else {
            continue;
        };
        out.push_str(&text[written..before.len()]);
        out.extend(std::iter::repeat_n('-', count));
        written = at;
    }
    if written == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[written..]);
    Cow::Owned(out)
}

fn is_mark(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next() == Some(FIRST) && letters.all(|letter| LETTERS.contains(&letter))
}

/// Returns the SipHash-2-4 of bytes.
fn siphash([k0, k1]: [u64; 2], bytes: &[u8]) -> u64 {
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let (blocks, rest) = bytes.as_chunks();
    // The last block ends with the length, as SipHash demands: zeros at the end of the input hash
    // differently from the padding.
    let mut last = [0, 0, 0, 0, 0, 0, 0, bytes.len() as u8];
    last[..rest.len()].copy_from_slice(rest);
    for block in blocks.iter().chain([&last]) {
        let block = u64::from_le_bytes(*block);
        v[3] ^= block;
        rounds(&mut v, 2);
        v[0] ^= block;
    }
    v[2] ^= 0xff;
    rounds(&mut v, 4);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn rounds(v: &mut [u64; 4], count: u32) {
    for _ in 0..count {
        v[0] = v[0].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[0] = v[0].rotate_left(32);
        v[2] = v[2].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[2] = v[2].rotate_left(32);
    }
}

/// Shows no key.
impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey(..)")
    }
}

impl fmt::Debug for DataMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DataMark").field(&self.as_str()).finish()
    }
}

/// The bytes of which the hash gives a mark.
const MARK: [u8; 8] = [0xff; 8];

/// The number of letters of a mark: the first is always the same, and the others are 28 random bits.
const LENGTH: usize = 8;

/// The first letter, which no other letter is. It begins no word of JSON, and no escape or number of
/// JSON contains it. So a mark in JSON is in a string, and may be changed there.
const FIRST: u8 = b'k';

const LETTERS: [u8; 16] = *b"bcdfghjmpqrvwxyz";

const OPEN: &str = "[data ";
const END: &str = "[end ";
const CLOSE: &str = "]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_matches_reference_vectors() {
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let bytes: Vec<u8> = (0..15).collect();
        assert_eq!(siphash(key, &bytes[..0]), 0x726f_db47_dd0e_0e31);
        assert_eq!(siphash(key, &bytes[..8]), 0x93f5_f579_9a93_2462);
        assert_eq!(siphash(key, &bytes), 0xa129_ca61_49be_45e5);
    }
}
