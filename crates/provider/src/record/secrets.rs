use std::fmt;
use std::ops::Range;

/// Texts that no recording may hold, such as keys.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// These texts; white space around them and empty ones do not count.
    pub fn new(secrets: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let trimmed = secrets.into_iter().map(|secret| secret.as_ref().trim().to_owned());
        Self(trimmed.filter(|secret| !secret.is_empty()).collect())
    }

    /// Puts [`MASK`] in the place of each secret in the text that the pieces make together: a
    /// model's tokens may cut one anywhere.
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

    /// Where secrets stand, in order and apart.
    fn spans(&self, whole: &str) -> Vec<Range<usize>> {
        let found = self.0.iter().flat_map(|secret| whole.match_indices(secret));
        let mut spans: Vec<_> = found.map(|(at, secret)| at..at + secret.len()).collect();
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

/// How many there are, and none of them.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

const MASK: &str = "[secret]";
