//! The ranked messages that are shown: from several conversations, and without repetitions.
//!
//! This module compares texts. Others write the rows.

use std::collections::{HashMap, HashSet};

use silcrow_store::search::fold;

use crate::parts::parts;
use crate::rank::RankedHit;

/// Takes messages one by one, each time the one that adds most.
pub(crate) struct RowSelector {
    /// The best first.
    ranked: Vec<RankedHit>,
    /// The number of rows of each conversation.
    rows: HashMap<String, i32>,
    picked: Vec<WordSet>,
}

impl RowSelector {
    pub(crate) fn new(ranked: Vec<RankedHit>) -> Self {
        Self { ranked, rows: HashMap::new(), picked: Vec::new() }
    }

    /// Returns the message that adds most to those that were [kept](Self::keep).
    pub(crate) fn next(&mut self) -> Option<RankedHit> {
        loop {
            let value = |one: &RankedHit| {
                let rows = self.rows.get(&one.hit.conversation).copied().unwrap_or_default();
                one.score * AGAIN.powi(rows)
            };
            // Of equal ones the first.
            let best = self.ranked.iter().enumerate().rev();
            let best = best.max_by(|(_, one), (_, other)| value(one).total_cmp(&value(other)));
            let next = self.ranked.remove(best?.0);
            let words = WordSet::new(&next.text);
            if !self.picked.iter().any(|picked| picked.is_nearly(&words)) {
                return Some(next);
            }
        }
    }

    /// Records that a message gets a row.
    pub(crate) fn keep(&mut self, kept: &RankedHit) {
        *self.rows.entry(kept.hit.conversation.clone()).or_default() += 1;
        self.picked.push(WordSet::new(&kept.text));
    }
}

/// The words of a text, without order.
struct WordSet {
    words: HashSet<String>,
    length: usize,
}

impl WordSet {
    fn new(text: &str) -> Self {
        let words = parts(text).take(MAX_WORDS).map(|part| fold(&text[part])).collect();
        Self { words, length: text.len() }
    }

    fn is_nearly(&self, other: &Self) -> bool {
        let both = self.words.intersection(&other.words).count() as f64;
        let any = (self.words.len() + other.words.len()) as f64 - both;
        let (short, long) = (self.length.min(other.length), self.length.max(other.length));
        both >= NEARLY * any && short as f64 >= NEARLY * NEARLY * long as f64
    }
}

/// The factor for another message of the same conversation.
const AGAIN: f64 = 0.5;

/// The part of their words that two nearly identical messages share.
const NEARLY: f64 = 0.9;

/// The number of words with which messages are compared.
const MAX_WORDS: usize = 1000;
