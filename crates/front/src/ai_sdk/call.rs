//! A call of a message that has no result yet.

/// A call that a client shows.
#[derive(Debug, Default)]
pub(super) struct UiCall {
    /// The name of the tool; empty for text that should have been a call.
    pub(super) tool: String,
    /// Whether its input is complete, or cannot be completed.
    pub(super) is_written: bool,
    /// The id of the question about it.
    pub(super) question: Option<String>,
    /// The answer to that question: whether the call may run.
    pub(super) is_approved: Option<bool>,
    /// Whether the client has the tool, and is to send the result.
    pub(super) is_of_client: bool,
    pub(super) printed: PrintedTail,
}

impl UiCall {
    /// Returns whether the call waits for the answer of a person.
    pub(super) const fn is_asked(&self) -> bool {
        self.question.is_some() && self.is_approved.is_none()
    }
}

/// The last part of a call's output.
///
/// A client keeps only the last output of a call, so each one repeats this text. To bound the
/// amount that is sent, a piece waits until enough of the text is new.
#[derive(Debug, Default)]
pub(super) struct PrintedTail {
    text: String,
    /// The number of bytes at the end of the text that the client does not have.
    unsent: usize,
}

impl PrintedTail {
    /// Adds a piece, and returns the text if it is time to send it.
    pub(super) fn push(&mut self, piece: &str) -> Option<&str> {
        self.text.push_str(piece);
        self.unsent += piece.len();
        let excess = self.text.len().saturating_sub(MAX_PRINTED);
        let cut = (excess..=self.text.len()).find(|at| self.text.is_char_boundary(*at));
        self.text.drain(..cut.unwrap_or_default());
        if self.unsent * REPETITIONS < self.text.len() {
            return None;
        }
        self.unsent = 0;
        Some(&self.text)
    }
}

/// The number of bytes of a tail.
const MAX_PRINTED: usize = 16 << 10;

/// The number of times that a call's output may be sent, on average.
const REPETITIONS: usize = 8;

#[cfg(test)]
mod tests {
    use super::{MAX_PRINTED, PrintedTail, REPETITIONS};

    #[test]
    fn printed_tail_and_its_repetitions_are_bounded() {
        let (mut tail, mut printed, mut sent) = (PrintedTail::default(), 0, 0);
        for _ in 0..10_000 {
            printed += "a line of é\n".len();
            let text = tail.push("a line of é\n").unwrap_or_default();
            assert!(text.len() <= MAX_PRINTED);
            assert!(text.is_empty() || text.ends_with("a line of é\n"));
            sent += text.len();
        }
        assert!(sent <= printed * REPETITIONS, "{sent} bytes for {printed}");
    }

    #[test]
    fn first_piece_is_sent_immediately() {
        assert_eq!(PrintedTail::default().push("1 file\n"), Some("1 file\n"));
    }
}
