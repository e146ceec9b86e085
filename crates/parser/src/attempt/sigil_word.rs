//! Delimiters of `sigil` that are misspelled, out of place, or written in another dialect.
//!
//! This module reads the words after the sign; others read the JSON.

use silcrow_lex::Dialect;

use super::call_json::{begins_with_call, begins_with_object};
use super::prose::Prose;
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// A sign and a word, as they are in a text.
struct SigilWord {
    /// The position of the first sign.
    at: usize,
    kind: WordKind,
    /// Whether it is written exactly like a delimiter.
    is_exact: bool,
    /// The position after the word and its colon.
    end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WordKind {
    Call,
    Control,
    Section,
    Result,
    /// The name of something that can be called.
    Callable,
    /// A word that is the name of nothing.
    Unknown,
}

/// Returns the first such delimiter that is an attempt.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let words = words(prose, context);
    // A text that names delimiters in words explains them.
    let explains = context.is_ended
        && words.iter().any(|word| word.kind == WordKind::Call && !has_body(prose, word, context));
    let found = words.iter().find(|word| is_attempt(prose, word, explains, context))?;
    let kind = match (context.options.dialect, found.kind) {
        (_, WordKind::Result) => AttemptKind::Forged,
        (Dialect::Sigil, _) if found.is_exact => AttemptKind::Misplaced,
        (Dialect::Sigil, _) => AttemptKind::Misspelled,
        _ => AttemptKind::OtherDialect,
    };
    Some((found.at, kind))
}

fn words(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Vec<SigilWord> {
    let mut words = Vec::new();
    for sign in SIGNS {
        words.extend(prose.positions(sign).filter_map(|at| word(prose, at, sign, context)));
    }
    words.sort_by_key(|word| word.at);
    words
}

/// Reads the word after a sign. A doubled sign is an escape (P-3).
fn word(
    prose: &Prose<'_>,
    at: usize,
    sign: &str,
    context: &AnswerContext<'_>,
) -> Option<SigilWord> {
    let text = &*prose.prose;
    if text[..at].ends_with(SIGNS[0]) || text[at + sign.len()..].starts_with(SIGNS[0]) {
        return None;
    }
    let rest = &text[at + sign.len()..];
    let spaced = rest.trim_start_matches([' ', '\u{a0}', '\t', '*', '_']);
    let is_letter = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    let len = spaced.find(|char| !is_letter(char)).unwrap_or(spaced.len());
    let (name, mut after) = spaced.split_at(len);
    let kind = match &*name.to_ascii_lowercase() {
        "call" | "calls" | "tool_call" | "toolcall" | "tool" | "function" | "action" | "invoke" => {
            WordKind::Call
        }
        "execute" | "exec" | "run" | "end" | "done" => WordKind::Control,
        "think" | "thought" | "thinking" | "respond" | "response" | "answer" | "reply"
        | "final" => WordKind::Section,
        "result" | "results" | "tool_result" => WordKind::Result,
        name if (context.is_callable)(name) => WordKind::Callable,
        // A sign before a call of a known name was meant to call it, whatever the word.
        _ if begins_with_call(after.trim_start_matches([':', '：', ' ']), context) => {
            WordKind::Call
        }
        // A text that begins with it was meant as a section, whatever the word.
        _ if len > 0 && rest.len() == spaced.len() && prose.begins_text(at) => WordKind::Unknown,
        _ => return None,
    };
    after = after.trim_start_matches(['*', '_', ' ', '>']);
    let colon = after.chars().next().filter(|char| [':', '：', '﹕', '='].contains(char));
    after = &after[colon.map_or(0, char::len_utf8)..];
    let end = text.len() - after.len();
    let written = &text[at..end];
    let is_exact = EXACT.contains(&written.trim_end_matches(['*', '_', ' ']));
    let is_section = matches!(kind, WordKind::Section | WordKind::Result);
    let may_lack_colon = kind == WordKind::Control || (is_section && prose.begins_line(at));
    if !is_exact && !may_lack_colon && colon.is_none() && !begins_with_object(after) {
        return None;
    }
    // Quotation marks around all of an answer quote nothing.
    let is_first = prose.text[..at].trim_start().chars().nth(1).is_none();
    let is_quoted = prose.is_quoted(at) && !is_first;
    (!is_quoted).then_some(SigilWord { at, kind, is_exact, end })
}

fn is_attempt(
    prose: &Prose<'_>,
    word: &SigilWord,
    explains: bool,
    context: &AnswerContext<'_>,
) -> bool {
    // An exact delimiter where delimiters count is here only because the model escaped it.
    let is_sigil = context.options.dialect == Dialect::Sigil;
    if is_sigil && word.is_exact && (context.options.inline || counts(prose, word.at)) {
        return false;
    }
    match word.kind {
        WordKind::Call | WordKind::Callable => has_body(prose, word, context),
        _ if explains => false,
        WordKind::Control => {
            (prose.begins_line(word.at) && prose.ends_line(word.end))
                || (prose.ends_text(word.end) && !context.is_ended)
                || (prose.ends_line(word.end) && prose.prose[..word.at].trim_end().ends_with('}'))
        }
        WordKind::Section => {
            prose.begins_line(word.at)
                || prose.follows_sentence(word.at)
                || prose.is_quoted(word.at)
        }
        WordKind::Unknown => true,
        WordKind::Result => {
            prose.begins_line(word.at) || begins_with_object(&prose.text[word.end..])
        }
    }
}

/// Returns whether a body follows: an object, or the name of something that can be called. After the
/// end of an answer, a call of something unknown within a sentence is a quotation.
fn has_body(prose: &Prose<'_>, word: &SigilWord, context: &AnswerContext<'_>) -> bool {
    let rest = prose.text[word.end..].trim_start_matches(|char: char| {
        char.is_whitespace() || ['*', '_', '`', '~', '('].contains(&char)
    });
    let rest = rest.strip_prefix("json").map(str::trim_start).unwrap_or(rest);
    let is_letter = |char: char| char.is_alphanumeric() || char == '_';
    let name = &rest[..rest.find(|char| !is_letter(char)).unwrap_or(rest.len())];
    if (context.is_callable)(name) || begins_with_call(rest, context) {
        return true;
    }
    if !begins_with_object(rest) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>();
    let in_sentence = match values.next() {
        Some(Ok(_)) => {
            let end = prose.text.len() - rest.len() + values.byte_offset();
            let after = prose.prose[end..].trim_start_matches([' ', '\t', '*', '_']);
            after.starts_with(|char: char| char.is_alphabetic())
        }
        _ => {
            let end = rest.char_indices().nth(BEGINNING).map_or(rest.len(), |(end, _)| end);
            let line = rest[..end].lines().next().unwrap_or_default();
            line.contains('…') || line.contains("...")
        }
    };
    !(context.is_ended && in_sentence)
}

/// Returns whether a delimiter counts at this position: after at most three spaces on its line (P-2).
fn counts(prose: &Prose<'_>, at: usize) -> bool {
    let before = &prose.text[..at];
    let line = before.trim_end_matches(' ');
    (line.is_empty() || line.ends_with('\n')) && before.len() - line.len() <= 3
}

/// The maximum number of characters of an object with an ellipsis that is recognised.
const BEGINNING: usize = 200;

/// The sign, and the characters that models write in its place. The first is the real one.
const SIGNS: [&str; 4] = ["§", "&sect;", "\\u00a7", "&#167;"];

/// The delimiters.
const EXACT: [&str; 6] = ["§call:", "§execute", "§end", "§think:", "§respond:", "§result:"];
