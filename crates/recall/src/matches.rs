//! The places of a query's terms in a text.
//!
//! This module handles one text at a time.

use std::ops::Range;

use silcrow_store::search::fold;

use crate::language::Language;
use crate::parts::{around, words};
use crate::terms::QueryTerm;

/// A word of a text that matches a term.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TermMatch {
    /// The index of the term.
    pub(crate) term: usize,
    /// The place of the word.
    pub(crate) range: Range<usize>,
    /// How well it matches, more than 0 and at most 1.
    pub(crate) likeness: f64,
}

/// Returns the words of a text that match terms, in the order of the terms and of the text.
pub(crate) fn term_matches(text: &str, terms: &[QueryTerm]) -> Vec<TermMatch> {
    let folded = FoldedText::new(text);
    let first: Vec<_> = words(text).take(LANGUAGE_WORDS).map(|range| fold(&text[range])).collect();
    let language = Language::guess(first.iter().map(String::as_str));
    let mut matches = Vec::new();
    for (index, term) in terms.iter().enumerate() {
        let mut from = 0;
        let mut count = 0;
        while let Some(at) = folded.text[from..].find(&*term.key) {
            let range = around(text, folded.origin(from + at, term.key.len()));
            from = folded.after(range.end);
            let likeness = term.likeness(&fold(&text[range.clone()]), language);
            if likeness > 0.0 {
                matches.push(TermMatch { term: index, range, likeness });
                count += 1;
            }
            if count == MAX_MATCHES {
                break;
            }
        }
    }
    matches
}

/// A text and its folded form.
struct FoldedText<'t> {
    original: &'t str,
    text: String,
    /// The position in the original of each byte's character; empty if the positions are the same.
    origins: Vec<usize>,
}

impl<'t> FoldedText<'t> {
    fn new(original: &'t str) -> Self {
        if original.is_ascii() {
            return Self { original, text: fold(original), origins: Vec::new() };
        }
        let mut text = String::with_capacity(original.len());
        let mut origins = Vec::with_capacity(original.len());
        let mut buffer = [0; 4];
        for (at, char) in original.char_indices() {
            match char.is_ascii() {
                true => text.push(char.to_ascii_lowercase()),
                false => text.push_str(&fold(char.encode_utf8(&mut buffer))),
            }
            origins.resize(text.len(), at);
        }
        Self { original, text, origins }
    }

    /// Returns the characters of the original that become a part of the folded text.
    fn origin(&self, at: usize, length: usize) -> Range<usize> {
        if self.origins.is_empty() {
            return at..at + length;
        }
        let last = self.origins[at + length - 1];
        let end = self.original[last..].chars().next().map_or(1, char::len_utf8);
        self.origins[at]..last + end
    }

    /// Returns the place in the folded text of one in the original.
    fn after(&self, at: usize) -> usize {
        match self.origins.is_empty() {
            true => at,
            false => self.origins.partition_point(|origin| *origin < at),
        }
    }
}

/// The number of words from which the language of a text is guessed.
const LANGUAGE_WORDS: usize = 40;

/// The maximum number of matches of one term.
const MAX_MATCHES: usize = 50;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::query_terms;

    fn found<'t>(text: &'t str, query: &str) -> Vec<(&'t str, f64)> {
        let matches = term_matches(text, &query_terms(query));
        matches.into_iter().map(|one| (&text[one.range], one.likeness)).collect()
    }

    #[test]
    fn words_are_found_whole() {
        let text = "The deployments use fooBar_baz, and the deploy is redeployed.";
        assert_eq!(
            found(text, "deploy"),
            [("deployments", 0.9), ("deploy", 1.0), ("redeployed", 0.3)]
        );
        assert_eq!(found(text, "bar baz"), [("Bar", 1.0), ("baz", 1.0)]);
        assert_eq!(found(text, "foobar"), [("fooBar", 1.0)]);
    }

    #[test]
    fn case_folding_keeps_match_positions() {
        let text = "İİİ Die große Straße der Ä\u{308}rgernisse, 日本語";
        assert_eq!(found(text, "strasse"), [("Straße", 1.0)]);
        assert_eq!(found(text, "groß"), [("große", 0.9)]);
        assert_eq!(found(text, "日本"), [("日本語", 0.6)]);
        assert_eq!(found("ßß", "ss"), [("ßß", 0.3)]);
    }
}
