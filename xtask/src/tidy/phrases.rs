//! The phrases that are not used, and what to write instead.
//!
//! This module has the list and finds its phrases in a text. It does not know where the text comes
//! from.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Finding;
use super::text::Paragraph;

/// The file that has the list.
pub(crate) const FILE: &str = "xtask/src/tidy/phrases.rs";

/// Reports each phrase of the list that a text contains.
pub(crate) fn check(file: &str, text: &[Paragraph], findings: &mut Vec<Finding>) {
    for paragraph in text {
        for (at, word) in paragraph.iter().enumerate() {
            for phrase in beginning_with(&word.text) {
                if stands_at(paragraph, at, phrase.words) && !is_fine(paragraph, at, phrase) {
                    let what = format!("`{}` in prose: write {}", phrase.words, phrase.instead);
                    findings.push(Finding { file: file.to_owned(), line: word.line, what });
                }
            }
        }
    }
}

/// Returns the phrases that have this first word.
fn beginning_with(word: &str) -> impl Iterator<Item = &'static Phrase> {
    static BY_FIRST_WORD: LazyLock<BTreeMap<&str, Vec<&Phrase>>> = LazyLock::new(|| {
        let mut phrases: BTreeMap<&str, Vec<&Phrase>> = BTreeMap::new();
        for phrase in PHRASES {
            let first = phrase.words.split(' ').next().unwrap_or_default();
            phrases.entry(first).or_default().push(phrase);
        }
        phrases
    });
    BY_FIRST_WORD.get(word).into_iter().flatten().copied()
}

/// Returns whether a phrase begins at a place in a text.
fn stands_at(text: &Paragraph, at: usize, phrase: &str) -> bool {
    let mut words = text[at..].iter().map(|word| &*word.text);
    phrase.split(' ').all(|expected| words.next() == Some(expected))
}

/// Returns whether a phrase is part of a longer one that is good English.
fn is_fine(text: &Paragraph, at: usize, phrase: &Phrase) -> bool {
    let end = at + phrase.words.split(' ').count();
    phrase.unless.iter().any(|longer| {
        let first = end.saturating_sub(longer.split(' ').count());
        (first..=at).any(|start| stands_at(text, start, longer))
    })
}

/// A phrase that is not used.
struct Phrase {
    words: &'static str,
    /// The advice of the message.
    instead: &'static str,
    /// Longer phrases around this one that are good English.
    unless: &'static [&'static str],
}

const fn not(words: &'static str, instead: &'static str) -> Phrase {
    Phrase { words, instead, unless: &[] }
}

/// The list of phrases. A phrase that is good English in most places is not on it.
const PHRASES: &[Phrase] = &[
    not("behind a", AFTER),
    not("behind an", AFTER),
    not("behind another", AFTER),
    not("behind each", AFTER),
    not("behind every", AFTER),
    not("behind it", AFTER),
    not("behind its", AFTER),
    not("behind one", AFTER),
    not("behind that", AFTER),
    not("behind the", AFTER),
    not("behind them", AFTER),
    not("behind this", AFTER),
    not("behind which", AFTER),
    not("gave out", EMIT),
    not("give out", EMIT),
    not("given out", EMIT),
    not("gives out", EMIT),
    not("giving out", EMIT),
    Phrase { words: "stand in", instead: IS_IN, unless: &["stand in for"] },
    Phrase { words: "stands in", instead: IS_IN, unless: &["stands in for"] },
    not("stand at", IS_IN),
    not("stands at", IS_IN),
    not("stand before", IS_IN),
    not("stands before", IS_IN),
    not("stands behind", IS_IN),
    not("at hand", "`current`, or name the thing"),
    not("are told", TOLD),
    not("be told", TOLD),
    not("is told", TOLD),
    not("was told", TOLD),
    not("tell of", "`describe`, `report`"),
    not("tells of", "`describes`, `reports`"),
    not("whoever", "who it is: a caller, a reader, the sink"),
    Phrase {
        words: "is none",
        instead: "`is not one`, or what it is instead",
        unless: &["there is none"],
    },
    not("no such", "`there is no …`"),
    not(", save", EXCEPT),
    not("save for", EXCEPT),
    not("save that", EXCEPT),
    not("save when", EXCEPT),
    not("save where", EXCEPT),
    not("but for", EXCEPT),
    not("or else", OTHERWISE),
    not(", else", OTHERWISE),
    not("; else", OTHERWISE),
    not("stop sign", "`cancellation token`"),
    not("stop signs", "`cancellation tokens`"),
    not("anew", "`again`, `restarts`"),
    not("are waited for", BACKGROUND),
    not("be waited for", BACKGROUND),
    not("is waited for", BACKGROUND),
    not("not waited for", BACKGROUND),
    not("go on", CONTINUE),
    not("goes on", CONTINUE),
    not("gone on", CONTINUE),
    not("went on", CONTINUE),
    not("what it costs", "`cost`"),
    not("what it takes", "`duration`, `size`, or what it needs"),
    not("are refused", REJECTED),
    not("be refused", REJECTED),
    Phrase { words: "is refused", instead: REJECTED, unless: &["connection is refused"] },
    not("held against", COMPARED),
    not("hold against", COMPARED),
    not("holds against", COMPARED),
    not("came of", OUTCOME),
    not("come of", OUTCOME),
    not("comes of", OUTCOME),
    not("became of", HAPPENS),
    not("become of", HAPPENS),
    not("becomes of", HAPPENS),
    not("of before", "`previous`, `earlier`"),
    not("for ever", "`forever`, or how long"),
    not("wind up", "`drain`"),
    not("winds up", "`drains`"),
    not("wound up", "`drained`"),
];

const AFTER: &str = "`after`, `that follows`, or where it is";
const EMIT: &str = "`emit`, `return`, `pass`";
const IS_IN: &str = "`is in`, `is at`, `precedes`, `follows`";
const TOLD: &str = "`receives`, `is passed`, `knows`";
const EXCEPT: &str = "`except`";
const OTHERWISE: &str = "`otherwise`, or name the other case";
const BACKGROUND: &str = "`runs in the background`, `waits for`";
const CONTINUE: &str = "`continue`";
const REJECTED: &str = "`is rejected`, `returns an error`";
const COMPARED: &str = "`compared with`";
const OUTCOME: &str = "`outcome`, `result`";
const HAPPENS: &str = "`happens to`";
