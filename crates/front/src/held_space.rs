//! White space at the end of a text, which a log trims.

/// Holds white space until text follows it, so that pieces add up to what a log has.
#[derive(Debug, Default)]
pub(crate) struct HeldSpace(String);

impl HeldSpace {
    /// Takes the next piece of a text, and returns what can be sent.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let kept = piece.trim_end_matches([' ', '\t', '\r', '\n']);
        if kept.is_empty() {
            self.0.push_str(piece);
            return String::new();
        }
        let mut text = std::mem::replace(&mut self.0, piece[kept.len()..].to_owned());
        text.push_str(kept);
        text
    }
}
