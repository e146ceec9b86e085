//! Numbers and texts as bytes: the fewest bytes for small numbers.

/// Bytes that are being written.
#[derive(Debug, Default)]
pub(crate) struct ByteWriter(pub(crate) Vec<u8>);

/// Bytes that are being read. All methods return `None` at the end, or if the bytes were not
/// written by a [`ByteWriter`].
#[derive(Clone, Debug)]
pub(crate) struct ByteReader<'a>(pub(crate) &'a [u8]);

impl ByteWriter {
    /// Appends a number: seven bits a byte, the lowest first.
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Appends a number that may be negative.
    pub(crate) fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    /// Appends texts and their number.
    pub(crate) fn texts(&mut self, texts: &[String]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }

    /// Appends a text and its length.
    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Appends a text if there is one.
    pub(crate) fn optional(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        text.into_iter().for_each(|text| self.text(text));
    }
}

impl<'a> ByteReader<'a> {
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    pub(crate) fn texts(&mut self) -> Option<Vec<String>> {
        let count = self.number()?;
        (0..count).map(|_| Some(self.text()?.to_owned())).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        str::from_utf8(self.bytes(length)?).ok()
    }

    pub(crate) fn optional(&mut self) -> Option<Option<&'a str>> {
        match self.number()? {
            0 => Some(None),
            1 => Some(Some(self.text()?)),
            _ => None,
        }
    }

    /// Returns this many bytes as they are.
    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest): (&'a [u8], _) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Returns an array of bytes as they are.
    pub(crate) fn array<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        self.bytes(LENGTH)?.try_into().ok()
    }
}
