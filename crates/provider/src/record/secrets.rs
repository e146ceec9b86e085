//! Texts that are masked wherever they are repeated.

use std::fmt;
use std::ops::Range;

mod find;

use find::SecretRuns;

/// Texts that no recording and no message may contain, such as keys.
///
/// Pieces of a secret with 8 or more ASCII characters are also found in other case, broken by white
/// space, escaped, and percent-encoded. A shorter secret is found only as it is.
#[derive(Clone, Default)]
pub struct Secrets {
    texts: Vec<String>,
    runs: SecretRuns,
}

impl Secrets {
    /// Creates a set of these texts, with white space around each removed. Empty texts are left
    /// out.
    pub fn new(secrets: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let trimmed = secrets.into_iter().map(|secret| secret.as_ref().trim().to_owned());
        let texts: Vec<_> = trimmed.filter(|secret| !secret.is_empty()).collect();
        let mut runs = SecretRuns::default();
        texts.iter().for_each(|secret| runs.add(secret));
        Self { texts, runs }
    }

    /// Returns the text with each secret, and each piece of one, replaced by `mask`.
    pub fn redact(&self, text: &str, mask: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        for span in self.spans(text) {
            redacted.push_str(&text[at..span.start]);
            redacted.push_str(mask);
            at = span.end;
        }
        redacted.push_str(&text[at..]);
        redacted
    }

    /// Replaces each secret in the joined text of the pieces by [`MASK`]. The text is joined
    /// because a model's tokens may cut a secret anywhere.
    pub(crate) fn mask(&self, pieces: &mut [&mut String]) {
        let whole: String = pieces.iter().map(|piece| piece.as_str()).collect();
        let spans = self.spans(&whole);
        if spans.is_empty() {
            return;
        }
        let mut start = 0;
        for piece in pieces {
            let end = start + piece.len();
            let mut masked = String::new();
            let mut at = start;
            for span in spans.iter().filter(|span| span.start < end && span.end > start) {
                masked.push_str(&whole[at..span.start.max(at)]);
                if span.start >= start {
                    masked.push_str(MASK);
                }
                at = span.end.min(end);
            }
            masked.push_str(&whole[at..end]);
            **piece = masked;
            start = end;
        }
    }

    /// Returns where secrets and their pieces are, in order and without overlaps.
    fn spans(&self, whole: &str) -> Vec<Range<usize>> {
        let found = self.texts.iter().flat_map(|secret| whole.match_indices(secret));
        let mut spans: Vec<_> = found.map(|(at, secret)| at..at + secret.len()).collect();
        self.runs.find(whole, |span| spans.push(span));
        spans.sort_by_key(|span| span.start);
        spans.dedup_by(|next, last| {
            let overlaps = next.start < last.end;
            if overlaps {
                last.end = last.end.max(next.end);
            }
            overlaps
        });
        spans
    }
}

/// Shows the number of secrets and none of them.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.texts.len())
    }
}

const MASK: &str = "[secret]";
