//! The announcement of a call that does not follow.
//!
//! This module recognizes the beginnings of announcements in a few languages. A model that ended
//! its answer announced nothing, and a long text is an answer, whatever it promises at its end.

mod phrases;
mod verbs;

use phrases::{ENDINGS, FIRST_WORDS, FUTURES, OPENINGS, POLITE, PURPOSES};
use verbs::{ACTS, NOW, VERBS};

use super::prose::{Prose, is_mark};
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
    if text.ends_with(['?', '？', '؟']) {
        return None;
    }
    let at = last + last_sentence(&text[last..]);
    let lower = text[at..].to_lowercase().replace('’', "'");
    let sentence = lower.trim_start_matches(is_mark).trim_end_matches(is_end);
    let first_word = FIRST_WORDS.iter().find_map(|word| sentence.strip_prefix(word));
    let sentence = first_word.unwrap_or(sentence);
    let has_purpose = PURPOSES.iter().any(|purpose| sentence.starts_with(purpose));
    let after = sentence.split_once(", ").map(|(_, after)| after).filter(|_| has_purpose);
    let sentence = after.unwrap_or(sentence);
    if POLITE.iter().any(|polite| sentence.starts_with(polite)) {
        return None;
    }
    let begins = |openings: &[&str]| openings.iter().any(|opening| sentence.starts_with(opening));
    let ends = ENDINGS.iter().any(|ending| sentence.trim_end_matches('ね').ends_with(ending))
        || words(sentence).any(|word| VERBS.contains(&word));
    let names_tool = || words(&prose.text[at..text.len()]).any(|word| (context.is_callable)(word));
    let has_word = |list: &[&str]| {
        words(&lower).any(|word| list.contains(&word))
            // Chinese has no blanks between words.
            || list.iter().any(|word| word.starts_with(is_ideograph) && lower.contains(word))
    };
    let is_short = text.char_indices().nth(SHORT).is_none();
    let announces = match (begins(OPENINGS) || ends, begins(FUTURES)) {
        (true, _) if is_short => true,
        (_, true) if is_short => has_word(ACTS) || has_word(NOW) || names_tool(),
        (true, _) | (_, true) => has_word(NOW) || names_tool(),
        _ => false,
    };
    announces.then_some((at, AttemptKind::Announced))
}

/// Returns the position of the last sentence of a line. Text in braces, such as the arguments of a
/// call, does not end a sentence, and neither does a point within a word.
fn last_sentence(line: &str) -> usize {
    let mut depth = 0_u32;
    let mut sentence = 0;
    let mut after_end = false;
    for (at, char) in line.char_indices() {
        if after_end && !char.is_whitespace() && !is_end(char) {
            (sentence, after_end) = (at, false);
        }
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '。' | '！' | '？' | '：' | '；' => after_end = true,
            '.' | '!' | '?' | ':' | ';' | '…' if depth == 0 => {
                let rest = &line[at + char.len_utf8()..];
                after_end |= rest.starts_with(char::is_whitespace);
            }
            _ => {}
        }
    }
    sentence
}

/// Returns whether a character may follow the last word of a sentence.
fn is_end(char: char) -> bool {
    char.is_whitespace() || ".!?:;…。！？：；।؟\"”)*_".contains(char)
}

fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{4e00}'..='\u{9fff}')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '_' || char == '-'))
}

/// The length in characters of the longest text that any announcement at its end turns into one.
const SHORT: usize = 300;
