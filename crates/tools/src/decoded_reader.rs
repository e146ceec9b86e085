//! A file in a legacy encoding, read as UTF-8 in bounded memory.

use std::io::{self, BufRead, Read};

use encoding_rs::{CoderResult, Decoder, Encoding};

/// Decodes the bytes of another reader.
pub(crate) struct DecodedReader<R> {
    source: R,
    decoder: Decoder,
    /// Decoded text, unread from `start` on.
    text: String,
    start: usize,
    is_over: bool,
}

impl<R: BufRead> DecodedReader<R> {
    pub(crate) fn new(source: R, encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_without_bom_handling();
        Self { source, decoder, text: String::with_capacity(ROOM), start: 0, is_over: false }
    }
}

impl<R: BufRead> BufRead for DecodedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.start == self.text.len() && !self.is_over {
            self.text.clear();
            self.start = 0;
            let bytes = self.source.fill_buf()?;
            let is_last = bytes.is_empty();
            let (result, read, _) = self.decoder.decode_to_string(bytes, &mut self.text, is_last);
            self.source.consume(read);
            self.is_over = is_last && result == CoderResult::InputEmpty;
        }
        Ok(&self.text.as_bytes()[self.start..])
    }

    fn consume(&mut self, amount: usize) {
        self.start += amount;
    }
}

impl<R: BufRead> Read for DecodedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

/// The bytes of text that are decoded at once.
const ROOM: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn characters_are_whole_wherever_the_source_is_cut() {
        let text = "コメント, 値\n".repeat(10_000);
        let bytes = encoding_rs::SHIFT_JIS.encode(&text).0;
        for room in [1, 3, 4096] {
            let source = BufReader::with_capacity(room, &*bytes);
            let mut read = String::new();
            let mut reader = DecodedReader::new(source, encoding_rs::SHIFT_JIS);
            reader.read_to_string(&mut read).unwrap();
            assert!(read == text, "{room}");
        }
    }
}
