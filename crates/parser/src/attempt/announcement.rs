//! The announcement of a call that does not follow.
//!
//! This module knows how announcements begin in a few languages. A model that ended its answer
//! announced nothing.

use super::prose::Prose;
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// Returns the last sentence of an answer if it announces something and the model did not end.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let text = prose.prose.trim_end();
    if context.is_ended || text.is_empty() {
        return None;
    }
    let last = text.rfind('\n').map_or(0, |line| line + 1);
    if text.ends_with([':', '：']) {
        return Some((last, AttemptKind::Announced));
    }
    let line = text[last..].trim_end_matches(['.', '!', '…', ' ', '。', '！']);
    let sentence = line.rsplit(['.', '!', '?', ':', ';', '。', '！', '？', '：', '；']).next();
    let sentence = sentence.unwrap_or(line).trim_start();
    let at = last + line.len() - sentence.len();
    let lower = sentence.to_lowercase().replace('’', "'");
    let lower = ["okay, ", "ok, ", "sure, ", "first, ", "now, ", "next, ", "now "]
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .unwrap_or(&lower);
    let announces = (OPENINGS.iter().any(|opening| lower.starts_with(opening))
        || ENDINGS.iter().any(|ending| lower.ends_with(ending)))
        && !POLITE.iter().any(|polite| lower.starts_with(polite))
        && !text.ends_with(['?', '？']);
    announces.then_some((at, AttemptKind::Announced))
}

/// The beginnings of sentences that announce what the model does next.
const OPENINGS: [&str; 38] = [
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
    "i am calling ",
    "i'm calling ",
    "ich schaue ",
    "ich prüfe ",
    "ich werde ",
    "ich rufe ",
    "lass mich ",
    "lassen sie mich ",
    "je vais ",
    "laisse-moi ",
    "laissez-moi ",
    "voy a ",
    "déjame ",
    "déjeme ",
    "vamos a ",
    "vou ",
    "deixe-me ",
    "fammi ",
    "lasciami ",
    "让我",
    "讓我",
    "我来",
    "我來",
    "我先",
    "我将",
    "我會",
    "我现在",
    "首先，我",
];

/// The ends of such sentences in Japanese, whose verb comes last.
const ENDINGS: [&str; 5] = ["確認します", "確認してみます", "調べます", "見てみます", "実行します"];

/// The beginnings of sentences that end an answer politely.
const POLITE: [&str; 14] = [
    "let me know",
    "i'll be ",
    "i will be ",
    "i'll gladly",
    "i will gladly",
    "i'll need",
    "i will need",
    "i will not",
    "lass mich wissen",
    "lassen sie mich wissen",
    "ich werde gern",
    "je vais volontiers",
    "déjame saber",
    "让我知道",
];
