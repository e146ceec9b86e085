//! Decodes UTF-8 that arrives in chunks.
//!
//! A decoder has at most 3 pending bytes, which are the beginning of a character.

/// An incremental decoder that turns chunks of bytes into text (P-7).
///
/// A character that a chunk cuts is pending until it is whole: at most 3 bytes. Each maximal
/// invalid sequence becomes one U+FFFD, as in `String::from_utf8_lossy`, wherever the input is cut.
///
/// ```
/// use silcrow_lex::Utf8Decoder;
///
/// let mut utf8 = Utf8Decoder::new();
/// let mut text = String::new();
/// for chunk in [b"caf\xc3".as_slice(), b"\xa9 \xff!"] {
///     utf8.push(chunk, &mut |piece| text.push_str(piece.text));
/// }
/// assert_eq!(text, "café \u{fffd}!");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Utf8Decoder {
    pending: [u8; 3],
    len: u8,
}

/// A piece of decoded text.
///
/// ```
/// use silcrow_lex::Utf8Decoder;
///
/// let mut invalid = 0;
/// Utf8Decoder::new().push(b"caf\xe9!", &mut |piece| invalid += piece.invalid);
/// assert_eq!(invalid, 1, "the text is Latin-1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodedText<'a> {
    /// The valid text.
    pub text: &'a str,
    /// The number of invalid bytes that the text replaces; 0 if the bytes were valid.
    pub invalid: u8,
}

const REPLACEMENT: &str = "\u{fffd}";

impl Utf8Decoder {
    /// Creates a decoder without pending bytes.
    pub const fn new() -> Self {
        Self { pending: [0; 3], len: 0 }
    }

    /// Decodes a chunk and emits all text that is certain.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(DecodedText<'_>)) {
        let mut rest = bytes;
        while self.len > 0
            && let Some((&next, more)) = rest.split_first()
        {
            if self.complete(next, sink) {
                rest = more;
            }
        }
        self.decode(rest, sink);
    }

    /// Ends the input: a character that is still incomplete is invalid.
    pub fn finish(&mut self, sink: &mut dyn FnMut(DecodedText<'_>)) {
        if self.len > 0 {
            sink(DecodedText { text: REPLACEMENT, invalid: self.len });
            self.len = 0;
        }
    }

    /// Appends a byte to the pending ones. Returns whether it was consumed.
    fn complete(&mut self, next: u8, sink: &mut dyn FnMut(DecodedText<'_>)) -> bool {
        let len = usize::from(self.len);
        let mut whole = [0; 4];
        whole[..len].copy_from_slice(&self.pending[..len]);
        whole[len] = next;
        match core::str::from_utf8(&whole[..=len]) {
            Ok(text) => {
                sink(DecodedText { text, invalid: 0 });
                self.len = 0;
                true
            }
            // Still the beginning of a character.
            Err(error) if error.error_len().is_none() => {
                self.pending[len] = next;
                self.len += 1;
                true
            }
            Err(_) => {
                self.finish(sink);
                false
            }
        }
    }

    fn decode(&mut self, mut bytes: &[u8], sink: &mut dyn FnMut(DecodedText<'_>)) {
        loop {
            let Err(error) = core::str::from_utf8(bytes).map(|text| {
                if !text.is_empty() {
                    sink(DecodedText { text, invalid: 0 });
                }
            }) else {
                return;
            };
            let (valid, invalid) = bytes.split_at(error.valid_up_to());
            if let Ok(text) = core::str::from_utf8(valid)
                && !text.is_empty()
            {
                sink(DecodedText { text, invalid: 0 });
            }
            let Some(len) = error.error_len() else {
                self.pending[..invalid.len()].copy_from_slice(invalid);
                self.len = invalid.len() as u8;
                return;
            };
            sink(DecodedText { text: REPLACEMENT, invalid: len as u8 });
            bytes = &invalid[len..];
        }
    }
}
