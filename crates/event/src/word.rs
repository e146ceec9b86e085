//! Closed sets whose members have a word each: how the words are printed and parsed.
//!
//! The words themselves are beside the sets, as `as_str`.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::action::{CallKind, CallMode, OnError};
use crate::event::{ApprovalState, ErrorScope};
use crate::message::Role;
use crate::outcome::ResultStatus;

/// The error of parsing a word that names no member of a closed set.
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

impl fmt::Display for CallKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CallKind {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "call kind", Self::ALL, Self::as_str)
    }
}

impl fmt::Display for CallMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CallMode {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "call mode", Self::ALL, Self::as_str)
    }
}

impl fmt::Display for OnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for OnError {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "failure policy", Self::ALL, Self::as_str)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "role", Self::ALL, Self::as_str)
    }
}

impl fmt::Display for ResultStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ResultStatus {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "result status", Self::ALL, Self::as_str)
    }
}

impl fmt::Display for ErrorScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ErrorScope {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "error scope", Self::ALL, Self::as_str)
    }
}

impl fmt::Display for ApprovalState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ApprovalState {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "approval state", Self::ALL, Self::as_str)
    }
}

fn find<T: Copy, const N: usize>(
    word: &str,
    set: &'static str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<T, UnknownWord> {
    let found = all.into_iter().find(|&one| name(one) == word);
    found.ok_or_else(|| UnknownWord::new(set, all.map(name)))
}
