/// Turns arbitrary byte chunks into `&str` (P-7).
///
/// A character that a chunk cuts is withheld until it is whole: at most 3 bytes. Each maximal
/// invalid sequence becomes one U+FFFD, as in `String::from_utf8_lossy`, however it is cut.
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
    held: [u8; 3],
    len: u8,
}

/// Valid text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text.
    pub text: &'a str,
    /// It stands for this many invalid bytes; 0 where the bytes were valid.
    pub invalid: u8,
}

const REPLACEMENT: &str = "\u{fffd}";

impl Utf8Decoder {
    /// A decoder that withholds nothing.
    pub const fn new() -> Self {
        Self { held: [0; 3], len: 0 }
    }

    /// Takes a chunk and gives out all text that is certain.
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

    /// The end of the input: a character that is still cut is invalid.
    pub fn finish(&mut self, sink: &mut dyn FnMut(DecodedText<'_>)) {
        if self.len > 0 {
            sink(DecodedText { text: REPLACEMENT, invalid: self.len });
            self.len = 0;
        }
    }

    /// Tries the byte behind what is withheld; says whether it is used.
    fn complete(&mut self, next: u8, sink: &mut dyn FnMut(DecodedText<'_>)) -> bool {
        let len = usize::from(self.len);
        let mut whole = [0; 4];
        whole[..len].copy_from_slice(&self.held[..len]);
        whole[len] = next;
        match core::str::from_utf8(&whole[..=len]) {
            Ok(text) => {
                sink(DecodedText { text, invalid: 0 });
                self.len = 0;
                true
            }
            // Still the beginning of a character.
            Err(error) if error.error_len().is_none() => {
                self.held[len] = next;
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
                self.held[..invalid.len()].copy_from_slice(invalid);
                self.len = invalid.len() as u8;
                return;
            };
            sink(DecodedText { text: REPLACEMENT, invalid: len as u8 });
            bytes = &invalid[len..];
        }
    }
}
