//! A scanner that finds the members of one JSON object.
//!
//! This module follows the grammar of RFC 8259. It does not decode strings or numbers, and it
//! allocates nothing.

use std::ops::Range;

mod string;

/// Reads one JSON object in one pass, and accepts exactly the objects that `serde_json` accepts.
/// Calls `member` for each member with the positions of its key, quotes included, and of its value.
/// Returns `None` if the text is not an object or is nested deeper than [`MAX_DEPTH`].
pub(crate) fn object(text: &str, mut member: impl FnMut(Range<usize>, Range<usize>)) -> Option<()> {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    scan.token(b'{')?;
    scan.object(MAX_DEPTH - 1, &mut member)?;
    scan.space().is_none().then_some(())
}

/// The greatest depth of nested containers, which `serde_json` has, too.
pub(crate) const MAX_DEPTH: u8 = 128;

/// A position in a JSON text. Each method moves to the end of the thing that it is named for; of
/// containers, strings, words and numbers, the caller has read the first byte. `room` is the number
/// of containers that may still be opened inside each other.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn object(
        &mut self,
        room: u8,
        member: &mut impl FnMut(Range<usize>, Range<usize>),
    ) -> Option<()> {
        if self.token(b'}').is_some() {
            return Some(());
        }
        loop {
            self.token(b'"')?;
            let key = self.at - 1;
            self.string()?;
            let key = key..self.at;
            self.token(b':')?;
            self.space()?;
            let value = self.at;
            self.value(room)?;
            member(key, value..self.at);
            if self.token(b',').is_none() {
                return self.token(b'}');
            }
        }
    }

    fn array(&mut self, room: u8) -> Option<()> {
        if self.token(b']').is_some() {
            return Some(());
        }
        loop {
            self.value(room)?;
            if self.token(b',').is_none() {
                return self.token(b']');
            }
        }
    }

    fn value(&mut self, room: u8) -> Option<()> {
        let first = self.space()?;
        self.at += 1;
        match first {
            b'"' => self.string(),
            b'{' => self.object(room.checked_sub(1)?, &mut |_, _| {}),
            b'[' => self.array(room.checked_sub(1)?),
            b't' => self.word(b"rue"),
            b'f' => self.word(b"alse"),
            b'n' => self.word(b"ull"),
            b'-' => {
                let first = self.byte()?;
                self.at += 1;
                self.number(first)
            }
            first => self.number(first),
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at = string::end(self.bytes, self.at)?;
        Some(())
    }

    fn word(&mut self, rest: &[u8]) -> Option<()> {
        self.bytes[self.at..].starts_with(rest).then(|| self.at += rest.len())
    }

    /// Moves past a number whose first digit has been read.
    fn number(&mut self, first: u8) -> Option<()> {
        match first {
            b'0' => {}
            b'1'..=b'9' => self.skip(u8::is_ascii_digit),
            _ => return None,
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        self.skip(u8::is_ascii_digit);
        (self.at > start).then_some(())
    }

    /// Moves past white space, and past the next byte if it is `byte`. Returns `None` if it is not.
    fn token(&mut self, byte: u8) -> Option<()> {
        (self.space()? == byte).then(|| self.at += 1)
    }

    /// Moves past white space and returns the next byte.
    fn space(&mut self) -> Option<u8> {
        self.skip(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        self.byte()
    }

    fn skip(&mut self, pass: impl Fn(&u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(&pass) {
            self.at += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}
