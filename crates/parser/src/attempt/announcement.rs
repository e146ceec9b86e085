//! The announcement of a call that does not follow.
//!
//! This module knows how English announcements begin. A model that ended its answer announced
//! nothing.

use super::prose::Prose;
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// Returns the last sentence of an answer if it announces something and the model did not end.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let text = prose.prose.trim_end();
    if context.is_ended || text.is_empty() {
        return None;
    }
    let last = text.rfind('\n').map_or(0, |line| line + 1);
    if text.ends_with(':') {
        return Some((last, AttemptKind::Announced));
    }
    let line = text[last..].trim_end_matches(['.', '!', '…', ' ']);
    let before = line.rfind(['.', '!', '?', ':', ';']).map_or(0, |end| end + 1);
    let sentence = line[before..].trim_start();
    let at = last + line.len() - sentence.len();
    let lower = sentence.to_lowercase().replace('’', "'");
    let lower = ["okay, ", "ok, ", "sure, ", "first, ", "now, ", "next, ", "now "]
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .unwrap_or(&lower);
    let announces = OPENINGS.iter().any(|opening| lower.starts_with(opening))
        && !POLITE.iter().any(|polite| lower.starts_with(polite))
        && !text.ends_with('?');
    announces.then_some((at, AttemptKind::Announced))
}

/// The beginnings of sentences that announce what the model does next.
const OPENINGS: [&str; 10] = [
    "let me ",
    "i'll ",
    "i will ",
    "i am going to ",
    "i'm going to ",
    "i need to ",
    "i should ",
    "let's look",
    "let's start",
    "calling ",
];

/// The beginnings of sentences that end an answer politely.
const POLITE: [&str; 8] = [
    "let me know",
    "i'll be ",
    "i will be ",
    "i'll gladly",
    "i will gladly",
    "i'll need",
    "i will need",
    "i will not",
];
