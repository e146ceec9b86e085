//! The language of a text, guessed from its commonest words, and the stems of words.
//!
//! This module supports English and German. Every other text counts as of an unknown language.

use rust_stemmers::{Algorithm, Stemmer};

/// A language whose stems are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    German,
}

impl Language {
    /// Returns the language of folded words; `None` if equally many of them are typical of each
    /// language.
    pub(crate) fn guess<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        let (mut english, mut german) = (0, 0);
        for word in words {
            let is_both = BOTH.contains(&word);
            english += usize::from(!is_both && ENGLISH.contains(&word));
            german += usize::from(!is_both && GERMAN.contains(&word));
        }
        match english.cmp(&german) {
            std::cmp::Ordering::Greater => Some(Self::English),
            std::cmp::Ordering::Less => Some(Self::German),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Returns the stem of a folded word.
    pub(crate) fn stem(self, word: &str) -> String {
        // The stem of anything else, such as a number or a Greek word, is the word.
        if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word.to_owned();
        }
        let algorithm = match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
        };
        Stemmer::create(algorithm).stem(word).into_owned()
    }
}

/// Returns whether a folded word of a text in this language says little.
pub(crate) fn is_stop_word(word: &str, language: Option<Language>) -> bool {
    match language {
        Some(Language::English) => ENGLISH.contains(&word),
        Some(Language::German) => GERMAN.contains(&word),
        None => !BOTH.contains(&word) && (ENGLISH.contains(&word) || GERMAN.contains(&word)),
    }
}

/// Words of both lists, and stop words of one language that have a meaning in the other.
const BOTH: &[&str] = &[
    "a", "also", "am", "an", "as", "bin", "war", "was", "die", "do", "hat", "her", "i", "in", "is",
    "man", "me", "no", "so", "will", "hatte", "not", "wo", "all", "des", "there",
];

const ENGLISH: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
    "be", "been", "before", "but", "by", "can", "could", "did", "do", "does", "doing", "done",
    "for", "from", "get", "gets", "got", "had", "has", "have", "he", "her", "here", "him", "his",
    "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "my", "no", "not", "of", "on",
    "or", "our", "out", "please", "said", "say", "she", "should", "so", "some", "tell", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to",
    "told", "too", "up", "us", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "whom", "why", "will", "with", "would", "you", "your", "don", "didn", "doesn", "isn",
    "ll", "re", "ve",
];

const GERMAN: &[&str] = &[
    "aber", "alle", "als", "also", "am", "an", "auch", "auf", "aus", "bei", "beim", "bin", "bis",
    "bist", "bitte", "da", "damit", "dann", "das", "dass", "dein", "deine", "dem", "den", "denn",
    "der", "des", "die", "dir", "doch", "du", "durch", "ein", "eine", "einem", "einen", "einer",
    "eines", "er", "es", "euch", "fur", "habe", "haben", "hat", "hatte", "ich", "ihm", "ihn",
    "ihr", "ihre", "im", "in", "ins", "ist", "ja", "kann", "kannst", "kein", "keine", "konnen",
    "man", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "muss", "nach",
    "nicht", "noch", "nun", "nur", "oder", "ob", "schon", "sein", "seine", "sich", "sie", "sind",
    "so", "soll", "um", "und", "uns", "unser", "unsere", "vom", "von", "vor", "wann", "war",
    "warum", "was", "weil", "welche", "welcher", "welches", "wenn", "wer", "werden", "wie",
    "wieder", "will", "wir", "wird", "wo", "zu", "zum", "zur", "uber", "unter",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_is_guessed_from_distinctive_words() {
        let guess = |text: &str| Language::guess(text.split(' '));
        assert_eq!(guess("how do i die in war"), Some(Language::English));
        assert_eq!(guess("wie war die antwort"), Some(Language::German));
        assert_eq!(guess("die hat"), None);
        assert_eq!(guess("postgres port"), None);
    }

    #[test]
    fn stop_words_count_in_other_languages() {
        assert!(is_stop_word("die", Some(Language::German)));
        assert!(!is_stop_word("die", Some(Language::English)));
        assert!(!is_stop_word("die", None));
        assert!(is_stop_word("the", None) && is_stop_word("und", None));
    }

    #[test]
    fn stems_follow_the_language() {
        assert_eq!(Language::English.stem("deploying"), Language::English.stem("deployed"));
        assert_eq!(Language::German.stem("hauser"), Language::German.stem("haus"));
        assert_eq!(Language::English.stem("utf8"), "utf8");
        assert_eq!(Language::English.stem("日本語"), "日本語");
    }
}
