//! JSON strings that servers have cut between the halves of a surrogate pair.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

/// A JSON string that may contain half a surrogate pair, because some servers cut a text between
/// the halves of a character. The bytes are UTF-8 except for such halves (WTF-8).
pub(crate) struct JsonText(Vec<u8>);

impl From<&str> for JsonText {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_owned())
    }
}

impl JsonText {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Joins the pieces of a text. Half a pair at the end of one piece waits for its other half in the
/// next.
#[derive(Debug, Default)]
pub(crate) struct SurrogateJoiner {
    /// The first half of a pair, if a piece ended with one.
    high: Option<u16>,
}

impl SurrogateJoiner {
    /// Returns the text that `piece` adds. U+FFFD replaces a half without its other half.
    pub(crate) fn push(&mut self, piece: &JsonText) -> String {
        let mut out = String::with_capacity(piece.0.len());
        let mut rest = &piece.0[..];
        while !rest.is_empty() {
            let (text, half) = rest.split_at(next_half(rest));
            if !text.is_empty() {
                out.push_str(self.finish());
                out.push_str(&String::from_utf8_lossy(text));
            }
            rest = half;
            if let [0xED, second, third, after @ ..] = half {
                self.half(
                    0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F),
                    &mut out,
                );
                rest = after;
            }
        }
        out
    }

    /// Returns the replacement of a pending half whose other half never arrived.
    pub(crate) fn finish(&mut self) -> &'static str {
        if self.high.take().is_some() { REPLACEMENT } else { "" }
    }

    fn half(&mut self, half: u16, out: &mut String) {
        let pair = self.high.and_then(|high| char::decode_utf16([high, half]).next()?.ok());
        if let Some(char) = pair {
            self.high = None;
            out.push(char);
            return;
        }
        out.push_str(self.finish());
        if half < FIRST_LOW {
            self.high = Some(half);
        } else {
            out.push_str(REPLACEMENT);
        }
    }
}

/// Returns whether two texts are equal except for white space, which the log keeps only in part.
pub(crate) fn is_same_text(one: &str, other: &str) -> bool {
    one.split_whitespace().flat_map(str::chars).eq(other.split_whitespace().flat_map(str::chars))
}

/// Returns the position of the next half of a pair, or the length of `text`.
fn next_half(text: &[u8]) -> usize {
    text.windows(3).position(|at| at[0] == 0xED && at[1] >= 0xA0).unwrap_or(text.len())
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_bytes(JsonTextVisitor)
    }
}

struct JsonTextVisitor;

impl de::Visitor<'_> for JsonTextVisitor {
    type Value = JsonText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<JsonText, E> {
        Ok(JsonText(bytes.to_owned()))
    }
}

const FIRST_LOW: u16 = 0xDC00;

const REPLACEMENT: &str = "\u{FFFD}";

#[cfg(test)]
mod tests;
