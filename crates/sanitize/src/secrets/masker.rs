//! Secrets in text that arrives in pieces.
//!
//! The state is the pending text: the end of the input that may begin a secret.

use super::{SecretSet, Secrets, write_masked};

/// Masks secrets in text that arrives in pieces. The result is the same as with [`Secrets::mask`],
/// wherever the text is cut.
///
/// ```
/// use silcrow_sanitize::{SecretMasker, Secrets};
///
/// let mut masker = SecretMasker::new(Secrets::new(["sk-canary"]));
/// let mut out = String::new();
/// masker.push("the key is sk-ca", &mut out);
/// assert_eq!(out, "the key is ");
/// masker.push("nary.", &mut out);
/// masker.finish(&mut out);
/// assert_eq!(out, "the key is [secret].");
/// ```
#[derive(Clone, Debug)]
pub struct SecretMasker {
    secrets: Secrets,
    pending: String,
}

impl SecretMasker {
    /// Creates a masker of these secrets.
    pub const fn new(secrets: Secrets) -> Self {
        Self { secrets, pending: String::new() }
    }

    /// Takes the next piece, and appends to `out` the text that cannot become a part of a secret
    /// any more.
    pub fn push(&mut self, text: &str, out: &mut String) {
        if self.pending.is_empty() && self.secrets.is_empty() {
            return out.push_str(text);
        }
        self.pending.push_str(text);
        let set = self.secrets.set();
        let mut end = possible_beginning(&self.pending, &set);
        let mut spans = set.exact_spans(&self.pending);
        // A secret that overlaps another one is masked together with it.
        if let Some(last) = spans.iter().rfind(|found| found.span.start < end)
            && last.span.end > end
        {
            end = last.span.start;
        }
        spans.retain(|found| found.span.end <= end);
        write_masked(&self.pending[..end], &spans, out);
        self.pending.drain(..end);
    }

    /// Appends the pending text to `out`. The next piece begins another text.
    pub fn finish(&mut self, out: &mut String) {
        out.push_str(&self.secrets.mask(&std::mem::take(&mut self.pending)));
    }
}

/// Returns the beginning of the longest end of the pending text that is a proper prefix of a
/// secret.
fn possible_beginning(pending: &str, set: &SecretSet) -> usize {
    let longest = set.long().map(|secret| secret.expose().len()).max().unwrap_or(0);
    let first = pending.ceil_char_boundary(pending.len().saturating_sub(longest));
    let begins_secret = |at: &usize| {
        let end = &pending[*at..];
        set.long()
            .any(|secret| secret.expose().len() > end.len() && secret.expose().starts_with(end))
    };
    let mut starts = pending[first..].char_indices().map(|(at, _)| first + at);
    starts.find(begins_secret).unwrap_or(pending.len())
}
