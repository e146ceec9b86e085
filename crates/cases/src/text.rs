//! A text of a case: bytes, and the positions at which they are cut.

/// The text of a case: any bytes, and the positions at which chunks end.
///
/// ```
/// use silcrow_cases::CaseText;
///
/// let text = CaseText::from_pieces(&["§e", "nd"]);
/// assert_eq!(text.as_str(), Some("§end"));
/// assert_eq!(text.pieces().len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseText {
    bytes: Vec<u8>,
    /// The positions of the cuts in ascending order, perhaps repeated.
    cuts: Vec<usize>,
}

impl CaseText {
    /// Creates a text of these pieces, with a cut between each two.
    pub fn from_pieces<T: AsRef<[u8]>>(pieces: &[T]) -> Self {
        let mut text = Self::default();
        for (index, piece) in pieces.iter().enumerate() {
            if index > 0 {
                text.cut();
            }
            text.bytes.extend_from_slice(piece.as_ref());
        }
        text
    }

    /// Returns the bytes of all pieces.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the text of all pieces, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        str::from_utf8(&self.bytes).ok()
    }

    /// Returns the pieces: one more than there are cuts.
    pub fn pieces(&self) -> Vec<&[u8]> {
        let ends = self.cuts.iter().copied().chain([self.bytes.len()]);
        let mut from = 0;
        ends.map(|end| &self.bytes[std::mem::replace(&mut from, end)..end]).collect()
    }

    /// Returns whether the text is cut anywhere.
    pub fn is_cut(&self) -> bool {
        !self.cuts.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty() && self.cuts.is_empty()
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn cut(&mut self) {
        self.cuts.push(self.bytes.len());
    }
}

impl From<&str> for CaseText {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl From<&[u8]> for CaseText {
    fn from(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), cuts: Vec::new() }
    }
}
