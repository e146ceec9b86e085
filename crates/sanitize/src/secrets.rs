//! Texts that are masked wherever they are repeated.
//!
//! There are two ways to search for them. The strict one finds a secret as it is, and is for text
//! whose other parts must stay. The thorough one also finds its pieces and other spellings, and is
//! for messages and recordings.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

mod find;
mod masker;

use find::SecretRuns;
pub use masker::SecretMasker;

use crate::secret::Secret;

/// Secrets that no log, recording or message may contain. Clones share them, including those that
/// are added later.
///
/// ```
/// use silcrow_sanitize::{Secret, Secrets};
///
/// let secrets = Secrets::named([Secret::new("sk-canary-0123", "OPENAI_API_KEY")]);
/// assert_eq!(secrets.mask("key = sk-canary-0123"), "key = [secret OPENAI_API_KEY]");
/// // A piece of it, in another spelling.
/// assert_eq!(secrets.mask("key = SK-CANARY"), "key = SK-CANARY");
/// assert_eq!(secrets.redact("key = SK-CANARY", "[key]"), "key = [key]");
/// ```
#[derive(Clone, Default)]
pub struct Secrets(Arc<SharedSet>);

#[derive(Default)]
struct SharedSet {
    set: RwLock<Arc<SecretSet>>,
    /// The sets that receive additions to this one.
    followers: Mutex<Vec<Weak<Self>>>,
}

#[derive(Clone, Default)]
struct SecretSet {
    secrets: Vec<Secret>,
    runs: SecretRuns,
}

impl Secrets {
    /// Creates a set of these texts without names, with white space around each removed. Empty
    /// texts are left out.
    pub fn new(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self::named(texts.into_iter().map(|text| Secret::new(text.as_ref(), "")))
    }

    /// Creates a set of these secrets. Empty ones are left out.
    pub fn named(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut set = SecretSet::default();
        secrets.into_iter().for_each(|secret| set.add(secret));
        let set = RwLock::new(Arc::new(set));
        Self(Arc::new(SharedSet { set, followers: Mutex::default() }))
    }

    /// Adds the secrets of another set, and from now on its later ones. That set may not follow
    /// this one.
    ///
    /// ```
    /// use silcrow_sanitize::{Secret, Secrets};
    ///
    /// let keys = Secrets::default();
    /// let all = Secrets::new(["canary-0123"]).following(&keys);
    /// keys.add(Secret::new("renewed-0123", "the key"));
    /// assert_eq!(all.mask("renewed-0123"), "[secret the key]");
    /// assert_eq!(keys.mask("canary-0123"), "canary-0123");
    /// ```
    #[must_use]
    pub fn following(self, other: &Self) -> Self {
        let mut followers = other.0.followers.lock().unwrap_or_else(PoisonError::into_inner);
        followers.retain(|follower| follower.strong_count() > 0);
        followers.push(Arc::downgrade(&self.0));
        drop(followers);
        // Secrets that are added meanwhile may come twice, which changes nothing.
        for secret in &other.set().secrets {
            self.add(secret.clone());
        }
        self
    }

    /// Adds a secret to this set and its clones, such as a token that was renewed. An empty one is
    /// left out.
    ///
    /// ```
    /// use silcrow_sanitize::{Secret, Secrets};
    ///
    /// let secrets = Secrets::default();
    /// let clone = secrets.clone();
    /// secrets.add(Secret::new("token-0123", "the login"));
    /// assert_eq!(clone.mask("token-0123"), "[secret the login]");
    /// ```
    pub fn add(&self, secret: Secret) {
        let mut set = self.0.set.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut set).add(secret.clone());
        drop(set);
        let followers = self.0.followers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for follower in followers.iter().filter_map(Weak::upgrade) {
            Self(follower).add(secret.clone());
        }
    }

    /// Returns whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.set().secrets.is_empty()
    }

    /// Returns the text with each secret of [`SHORTEST`](Self::SHORTEST) bytes or more replaced by
    /// `[secret NAME]`. It is found only as it is, so that other text stays.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let set = self.set();
        let spans = set.exact_spans(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        write_masked(text, &spans, &mut out);
        Cow::Owned(out)
    }

    /// The length of the shortest secret that [`mask`](Self::mask) finds, in bytes. A shorter one
    /// may be a word of ordinary text.
    pub const SHORTEST: usize = 8;

    /// Returns the text with each secret, and each piece of one, replaced by `mask`.
    ///
    /// Pieces of a secret with 8 or more ASCII characters are also found in other case, broken by
    /// white space, escaped, and percent-encoded. A shorter secret is found only as it is.
    pub fn redact(&self, text: &str, mask: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        for span in self.set().spans(text) {
            redacted.push_str(&text[at..span.start]);
            redacted.push_str(mask);
            at = span.end;
        }
        redacted.push_str(&text[at..]);
        redacted
    }

    /// Replaces each secret, and each piece of one, in the joined text of the pieces by `[secret]`.
    /// The text is joined because a model's tokens may cut a secret anywhere.
    pub fn redact_pieces(&self, pieces: &mut [&mut String]) {
        let whole: String = pieces.iter().map(|piece| piece.as_str()).collect();
        let spans = self.set().spans(&whole);
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

    /// Returns the secrets as they are now.
    fn set(&self) -> Arc<SecretSet> {
        Arc::clone(&self.0.set.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SecretSet {
    fn add(&mut self, secret: Secret) {
        if !secret.expose().is_empty() {
            self.runs.add(secret.expose());
            self.secrets.push(secret);
        }
    }

    /// Returns where secrets are as they are, in order and without overlaps.
    fn exact_spans(&self, text: &str) -> Vec<NamedSpan<'_>> {
        let mut spans = Vec::new();
        for secret in self.long() {
            let found = text.match_indices(secret.expose());
            spans.extend(
                found.map(|(at, found)| NamedSpan {
                    span: at..at + found.len(),
                    name: secret.name(),
                }),
            );
        }
        spans.sort_by_key(|found| found.span.start);
        spans.dedup_by(|next, last| merge(&mut next.span, &mut last.span));
        spans
    }

    /// Returns the secrets that are searched in any text.
    fn long(&self) -> impl Iterator<Item = &Secret> {
        self.secrets.iter().filter(|secret| secret.expose().len() >= Secrets::SHORTEST)
    }

    /// Returns where secrets and their pieces are, in order and without overlaps.
    fn spans(&self, whole: &str) -> Vec<Range<usize>> {
        let Self { secrets, runs } = self;
        let found = secrets.iter().flat_map(|secret| whole.match_indices(secret.expose()));
        let mut spans: Vec<_> = found.map(|(at, secret)| at..at + secret.len()).collect();
        runs.find(whole, |span| spans.push(span));
        spans.sort_by_key(|span| span.start);
        spans.dedup_by(merge);
        spans
    }
}

/// Appends the text with these spans masked.
fn write_masked(text: &str, spans: &[NamedSpan<'_>], out: &mut String) {
    let mut at = 0;
    for NamedSpan { span, name } in spans {
        out.push_str(&text[at..span.start]);
        match name.is_empty() {
            true => out.push_str(MASK),
            false => {
                out.push_str("[secret ");
                // A name in JSON, or on one line, stays as it is.
                out.extend(name.chars().map(|char| if is_plain(char) { char } else { '_' }));
                out.push(']');
            }
        }
        at = span.end;
    }
    out.push_str(&text[at..]);
}

/// The place of a secret, and its name.
struct NamedSpan<'a> {
    span: Range<usize>,
    name: &'a str,
}

/// Extends the last span by the next one if they overlap, and returns whether they do.
fn merge(next: &mut Range<usize>, last: &mut Range<usize>) -> bool {
    let overlaps = next.start < last.end;
    if overlaps {
        last.end = last.end.max(next.end);
    }
    overlaps
}

fn is_plain(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '/' | ' ')
}

/// Shows the number of secrets and none of them.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.set().secrets.len())
    }
}

const MASK: &str = "[secret]";
