//! The search for the member of a closed set that has a given name, and the error if none has.

use std::error::Error;
use std::fmt;

/// The error that a word is not the name of a member of a closed set.
///
/// ```
/// use silcrow_event::CallMode;
///
/// assert_eq!("async".parse(), Ok(CallMode::Async));
/// let unknown = "later".parse::<CallMode>().unwrap_err();
/// assert_eq!(unknown.words(), ["sync", "async", "fire_and_forget"]);
/// assert_eq!(unknown.to_string(), "unknown call mode; use one of sync, async, fire_and_forget");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    set: &'static str,
    words: Vec<&'static str>,
}

impl UnknownWord {
    /// Creates the error for a set, such as "call mode", and the words that name its members.
    pub fn new(set: &'static str, words: impl Into<Vec<&'static str>>) -> Self {
        Self { set, words: words.into() }
    }

    /// Returns the words that name the members of the set.
    pub fn words(&self) -> &[&'static str] {
        &self.words
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {}; use one of {}", self.set, self.words.join(", "))
    }
}

impl Error for UnknownWord {}

/// Returns the member of `all` whose name is `word`.
pub(crate) fn find<T: Copy, const N: usize>(
    word: &str,
    set: &'static str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<T, UnknownWord> {
    let found = all.into_iter().find(|&one| name(one) == word);
    found.ok_or_else(|| UnknownWord::new(set, all.map(name)))
}
