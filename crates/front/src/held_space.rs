//! White space at the end of a text, which a log trims.

/// Holds white space until text follows it, so that pieces add up to the text in the log.
#[derive(Debug, Default)]
pub(crate) struct HeldSpace {
    text: String,
    /// The number of bytes at the beginning that were sent.
    sent: usize,
}

impl HeldSpace {
    /// Takes the next piece of a text, and returns the text that can be sent: the white space
    /// before it, and the piece without the white space at its end. Returns `None` if there is
    /// nothing else.
    pub(crate) fn push<'a>(&'a mut self, piece: &'a str) -> Option<[&'a str; 2]> {
        self.text.drain(..std::mem::take(&mut self.sent));
        let kept = piece.trim_end_matches([' ', '\t', '\r', '\n']);
        if !kept.is_empty() {
            self.sent = self.text.len();
        }
        self.text.push_str(&piece[kept.len()..]);
        (!kept.is_empty()).then(|| [&self.text[..self.sent], kept])
    }
}

#[cfg(test)]
mod tests {
    use super::HeldSpace;

    #[test]
    fn pieces_concatenate_to_text_without_trailing_space() {
        let (mut space, mut sent) = (HeldSpace::default(), Vec::new());
        for piece in [" ", "a ", "\n", "b", "c\n ", "", " d\t", "\n"] {
            sent.push(space.push(piece).map(|[before, piece]| format!("{before}{piece}")));
        }
        let sent: Vec<_> = sent.iter().map(|piece| piece.as_deref().unwrap_or("-")).collect();
        assert_eq!(sent, ["-", " a", "-", " \nb", "c", "-", "\n  d", "-"]);
    }
}
