//! The terms of a query, and their weights.
//!
//! This module reads only the query. Everything in it is text: there are no operators.

use silcrow_store::search::fold;

use crate::language::{Language, is_stop_word};
use crate::parts::{parts, words};

/// A word of a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueryTerm {
    /// The word in lower case and without accents.
    pub(crate) folded: String,
    /// A text that every form of the word contains: the common part of its stems.
    pub(crate) key: String,
    /// The weight of the term, at most 1.
    pub(crate) weight: f64,
    english: String,
    german: String,
}

impl QueryTerm {
    fn new(word: &str, language: Option<Language>, weight: f64) -> Self {
        let folded = fold(word);
        let (english, german) = (Language::English.stem(&folded), Language::German.stem(&folded));
        // Messages may be in either language, but mostly they are in the query's.
        let key = match language {
            Some(Language::English) => common(&folded, &english),
            Some(Language::German) => common(&folded, &german),
            None => common(common(&folded, &english), &german),
        };
        let mut key = key.to_owned();
        // The English stem of `happy` is `happi`, which the word does not contain.
        if english.ends_with('i') && key.ends_with('i') {
            key.pop();
        }
        if key.len() < MIN_KEY {
            key.clone_from(&folded);
        }
        Self { folded, key, weight, english, german }
    }

    /// Returns how well a folded word of a text in this language matches the term: 1 if they are
    /// the same, 0 if they are unrelated.
    pub(crate) fn likeness(&self, word: &str, language: Option<Language>) -> f64 {
        if word == self.folded {
            return 1.0;
        }
        let is_form = |of: Language| self.stem(of) == of.stem(word);
        match language {
            Some(language) if is_form(language) => return 0.9,
            None if is_form(Language::English) || is_form(Language::German) => return 0.8,
            _ => {}
        }
        let stem = language.map_or(&*self.folded, |language| self.stem(language));
        if self.folded.len() >= MIN_KEY && word.starts_with(&self.folded) {
            0.6
        } else if word.len() > MIN_KEY && self.folded.starts_with(word) {
            0.4
        } else if word.contains(&self.folded) || (stem.len() > 4 && word.contains(stem)) {
            0.3
        } else {
            0.0
        }
    }

    pub(crate) fn is_stop(&self) -> bool {
        self.weight <= STOP
    }

    /// Returns whether the term is a word of the query that says something, and no part of one.
    pub(crate) fn is_word(&self) -> bool {
        self.weight >= 1.0
    }

    fn stem(&self, language: Language) -> &str {
        match language {
            Language::English => &self.english,
            Language::German => &self.german,
        }
    }
}

/// Returns the terms of a query in their order, each once. If it has only words that say little,
/// they count as others do.
pub(crate) fn query_terms(query: &str) -> Vec<QueryTerm> {
    let folded = fold(query);
    let language = Language::guess(words(&folded).map(|range| &folded[range]));
    let mut terms: Vec<QueryTerm> = Vec::new();
    let mut push = |word: &str, weight: f64| {
        let term = QueryTerm::new(word, language, weight);
        if terms.len() < MAX_TERMS && terms.iter().all(|known| known.folded != term.folded) {
            terms.push(term);
        }
    };
    for word in query.split_whitespace().map(|word| word.trim_matches(PUNCTUATION)) {
        if is_symbolic(word) {
            push(word, 1.0);
            continue;
        }
        for range in words(word) {
            let whole = &word[range];
            let folded = fold(whole);
            let is_letter = folded.len() == 1 && folded.bytes().all(|b| b.is_ascii_alphabetic());
            let is_stop = is_letter || is_stop_word(&folded, language);
            push(whole, if is_stop { STOP } else { 1.0 });
            let is_name = parts(whole).nth(1).is_some();
            parts(whole).filter(|_| is_name).for_each(|part| push(&whole[part], PART));
        }
    }
    if terms.is_empty() {
        // No letters: the search is for the signs.
        query.split_whitespace().for_each(|word| terms.push(QueryTerm::new(word, None, 1.0)));
        terms.truncate(MAX_TERMS);
    }
    if terms.iter().all(QueryTerm::is_stop) {
        terms.iter_mut().for_each(|term| term.weight = 1.0);
    }
    terms
}

/// Returns whether the signs of a word matter, as in `C++`.
fn is_symbolic(word: &str) -> bool {
    let is_sign = |char: char| !char.is_alphanumeric();
    word.ends_with(is_sign) && word.chars().filter(|char| !is_sign(*char)).count() == 1
}

/// Returns the beginning that two texts have in common.
fn common<'a>(one: &'a str, other: &str) -> &'a str {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    &one[..same.map(|(char, _)| char.len_utf8()).sum()]
}

/// Characters around words that are not part of them.
const PUNCTUATION: &[char] = &[
    '"', '\'', '`', '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '-', '*', '„', '“',
    '”',
];

/// The weight of a word that says little.
const STOP: f64 = 0.1;

/// The weight of a part of a name such as `fooBar`, which is a term, too.
const PART: f64 = 0.5;

/// The length of the shortest key, in bytes, unless the word is shorter.
const MIN_KEY: usize = 3;

/// The maximum number of terms.
const MAX_TERMS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn written(query: &str) -> Vec<String> {
        let write = |term: &QueryTerm| format!("{}/{} {}", term.folded, term.key, term.weight);
        query_terms(query).iter().map(write).collect()
    }

    #[test]
    fn term_keys_are_substrings_of_their_forms() {
        assert_eq!(
            written("Happiness, the Häuser"),
            ["happiness/happ 1", "the/the 0.1", "hauser/hauser 1"]
        );
        assert_eq!(
            written("file_read fooBar"),
            ["file/fil 1", "read/read 1", "foobar/foobar 1", "foo/foo 0.5", "bar/bar 0.5",]
        );
    }

    #[test]
    fn operators_are_text() {
        assert_eq!(written("\"port\" -server* port"), ["port/port 1", "server/serv 1"]);
        assert_eq!(written("AND"), ["and/and 1"]);
        assert_eq!(written("c++ *"), ["c++/c++ 1"]);
        assert_eq!(written("* %"), ["*/* 1", "%/% 1"]);
        assert_eq!(written(" "), [] as [&str; 0]);
    }

    #[test]
    fn forms_match_in_their_language_only() {
        let likeness =
            |query: &str, word: &str, language| query_terms(query)[0].likeness(word, language);
        let (english, german) = (Some(Language::English), Some(Language::German));
        assert_eq!(likeness("deploying", "deployed", english), 0.9);
        assert_eq!(likeness("deploying", "deployed", german), 0.0);
        assert_eq!(likeness("Häuser", "haus", german), 0.9);
        assert_eq!(likeness("port", "ports", None), 0.8);
        assert_eq!(likeness("port", "portfolio", english), 0.6);
        assert_eq!(likeness("port", "report", english), 0.3);
        assert_eq!(likeness("configuration", "config", english), 0.4);
    }
}
