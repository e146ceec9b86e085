//! The order of the results: BM25 over the messages that a store found, with small bonuses for
//! titles, adjacent words and recency.
//!
//! This module ranks messages. `past` decides whose messages these are.

use silcrow_event::Timestamp;
use silcrow_store::search::Hit;

use crate::matches::{TermMatch, term_matches};
use crate::terms::QueryTerm;

/// A message and how good it is.
#[derive(Debug)]
pub(crate) struct RankedHit {
    pub(crate) hit: Hit,
    pub(crate) text: String,
    /// The words of the text that match terms.
    pub(crate) matches: Vec<TermMatch>,
    pub(crate) score: f64,
    /// For each term how well the text matches it, and the sum over its words.
    strengths: Vec<Strength>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Strength {
    best: f64,
    sum: f64,
}

impl RankedHit {
    fn new(hit: Hit, text: String, terms: &[QueryTerm]) -> Option<Self> {
        let matches = term_matches(&text, terms);
        let mut strengths = vec![Strength::default(); terms.len()];
        for one in &matches {
            let strength = &mut strengths[one.term];
            strength.best = strength.best.max(one.likeness);
            strength.sum += one.likeness;
        }
        (!matches.is_empty()).then_some(Self { hit, text, matches, score: 0.0, strengths })
    }

    /// Returns the number of words of the query that the text matches.
    pub(crate) fn matched(&self, terms: &[QueryTerm]) -> usize {
        let strengths = self.strengths.iter().zip(terms);
        strengths.filter(|(strength, term)| strength.best > 0.0 && term.is_word()).count()
    }
}

/// Ranks messages, the best first. `now` is the time of the question, if it is known.
pub(crate) fn rank(
    hits: Vec<(Hit, String)>,
    terms: &[QueryTerm],
    now: Option<Timestamp>,
) -> Vec<RankedHit> {
    let mut ranked: Vec<_> =
        hits.into_iter().filter_map(|(hit, text)| RankedHit::new(hit, text, terms)).collect();
    let now = now.or_else(|| ranked.iter().filter_map(|one| one.hit.entry.timestamp).max());
    let length = |one: &RankedHit| one.text.len().max(SHORT) as f64;
    let average = ranked.iter().map(length).sum::<f64>() / ranked.len() as f64;
    let rarities: Vec<_> =
        (0..terms.len()).map(|term| terms[term].weight * rarity(&ranked, term)).collect();
    for one in &mut ranked {
        let (titled, in_title) = titled(one, terms);
        let long = 1.0 - LENGTH + LENGTH * length(one) / average;
        let (mut sum, mut covered, mut all) = (0.0, 0.0, 0.0);
        for (term, rarity) in rarities.iter().enumerate() {
            let Strength { best, sum: total } = one.strengths[term];
            all += rarity;
            if best > 0.0 {
                let count = total / best;
                sum += rarity * best * count * (SATURATION + 1.0) / (count + SATURATION * long);
                covered += rarity * best;
            } else if titled && in_title[term] {
                sum += TITLE * rarity;
                covered += TITLE * rarity;
            }
        }
        sum += ADJACENT * adjacent(one, &rarities);
        one.score = sum * (UNCOVERED + (1.0 - UNCOVERED) * covered / all) * recency(one, now);
    }
    ranked.sort_by(|one, other| {
        let newest = || other.hit.entry.timestamp.cmp(&one.hit.entry.timestamp);
        let named = || one.hit.conversation.cmp(&other.hit.conversation);
        let last = || other.hit.entry.seq.cmp(&one.hit.entry.seq);
        other.score.total_cmp(&one.score).then_with(newest).then_with(named).then_with(last)
    });
    ranked
}

/// Returns how rare a term is. Parts of words count only if no whole word matches.
fn rarity(ranked: &[RankedHit], term: usize) -> f64 {
    let count =
        |least: f64| ranked.iter().filter(|one| one.strengths[term].best >= least).count() as f64;
    let whole = count(WHOLE);
    let with = if whole > 0.0 { whole } else { count(f64::MIN_POSITIVE) };
    // Found messages are a small part of all messages.
    let all = OTHERS * ranked.len() as f64 + MANY;
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the terms that are in the title, unless the message itself is the title.
fn titled(one: &RankedHit, terms: &[QueryTerm]) -> (bool, Vec<bool>) {
    let title = &one.hit.title;
    let mut in_title = vec![false; terms.len()];
    if one.text.trim_start().starts_with(title.as_str()) {
        return (false, in_title);
    }
    for found in term_matches(title, terms).into_iter().filter(|found| found.likeness >= WHOLE) {
        in_title[found.term] = true;
    }
    (true, in_title)
}

/// Returns the sum over words of the query that are side by side in the text, too.
fn adjacent(one: &RankedHit, rarities: &[f64]) -> f64 {
    let mut sum = 0.0;
    for term in 1..rarities.len() {
        let of = |wanted: usize| one.matches.iter().filter(move |found| found.term == wanted);
        let is_next = of(term - 1).any(|left| {
            of(term)
                .any(|right| (left.range.end..=left.range.end + GAP).contains(&right.range.start))
        });
        if is_next {
            sum += rarities[term - 1] + rarities[term];
        }
    }
    sum
}

/// Returns a factor that is 1 for old messages.
fn recency(one: &RankedHit, now: Option<Timestamp>) -> f64 {
    let (Some(now), Some(time)) = (now, one.hit.entry.timestamp) else { return 1.0 };
    let days = now.duration_since(time).as_secs_f64() / 86_400.0;
    1.0 + RECENT * 0.5_f64.powf(days / HALF_LIFE)
}

/// How quickly further occurrences of a word stop counting.
const SATURATION: f64 = 1.2;

/// The weight of a message's length.
const LENGTH: f64 = 0.4;

/// The length in bytes below which a message is not better for being shorter.
const SHORT: usize = 200;

/// The weight of a term in the title, relative to 1 for a term in the message.
const TITLE: f64 = 0.3;

/// The additional weight of adjacent words.
const ADJACENT: f64 = 0.15;

/// The maximum distance of adjacent words, in bytes.
const GAP: usize = 2;

/// The factor of a message that matches next to nothing of the query.
const UNCOVERED: f64 = 0.4;

/// The similarity at which a word becomes a form of the term.
const WHOLE: f64 = 0.8;

/// The number of messages by which rarity is judged: for each found message, and the minimum.
const OTHERS: f64 = 3.0;
const MANY: f64 = 100.0;

/// The maximum bonus for recency, and the days after which half of it is left.
const RECENT: f64 = 0.05;
const HALF_LIFE: f64 = 30.0;
