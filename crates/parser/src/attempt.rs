//! Attempts: text of an answer that was probably meant as a call or as another section (P-36).
//!
//! This module recognizes forms that models were trained on and typical slips. It reads complete
//! text only, runs nothing, and never changes the parser's result.
//!
//! Code hides delimiters on purpose, so nothing in a code fence or in inline code is an attempt.
//! One exception is an answer that consists of a call in code; others depend on whether the model
//! ended its answer.

mod announcement;
mod byte_set;
mod call_json;
mod code_call;
mod invisible;
mod other_format;
mod prose;
mod sigil_word;
mod tag_name;
mod written_call;

use std::fmt;

use silcrow_lex::Options;

use prose::Prose;

/// Text of an answer that was probably meant as something other than text for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a kind and a text")]
pub struct AnswerAttempt {
    /// The kind of the attempt.
    pub kind: AttemptKind,
    /// The beginning of the text, on one line.
    pub text: String,
}

/// The kinds of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AttemptKind {
    /// A delimiter of the dialect in a place where it does not count.
    Misplaced,
    /// A delimiter of the dialect after a character that ends a line elsewhere, such as U+2028. The text
    /// begins with that character, written as `U+2028`.
    Separated,
    /// A delimiter that is not written exactly.
    Misspelled,
    /// A delimiter with an invisible character in it or before it. The text is the delimiter
    /// without such characters.
    Invisible,
    /// A delimiter of another dialect.
    OtherDialect,
    /// A call in a form that no dialect has.
    OtherFormat,
    /// A call in a code fence or in inline code, and nothing else that answers.
    Quoted,
    /// Reasoning that was not written as a thought.
    Reasoning,
    /// A result, or words of the person, which only others write.
    Forged,
    /// The announcement of a call that does not follow.
    Announced,
}

/// The context for finding attempts in an answer's text.
#[derive(Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "it is what the search needs")]
pub struct AnswerContext<'a> {
    /// The notation of the answer.
    pub options: Options,
    /// Whether the text is outside the answer's sections and not shown to the person.
    pub is_stray: bool,
    /// Whether an end delimiter ended the answer, so that it is complete as it is.
    pub is_ended: bool,
    /// Whether a delimiter opened the answer. Then its text about thoughts is a part of it, and not
    /// reasoning.
    pub is_delimited: bool,
    /// Returns whether something of this name can be called.
    pub is_callable: &'a dyn Fn(&str) -> bool,
}

impl fmt::Debug for AnswerContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, is_stray, is_ended, is_delimited, .. } = self;
        let mut debug = f.debug_struct("AnswerContext");
        debug.field("options", options).field("is_stray", is_stray).field("is_ended", is_ended);
        debug.field("is_delimited", is_delimited);
        debug.finish_non_exhaustive()
    }
}

/// Returns the first attempt in the complete text of an answer.
///
/// ```
/// use silcrow_parser::{AnswerContext, AttemptKind, Dialect, find_attempt};
///
/// let context = AnswerContext {
///     options: Dialect::Sigil.into(),
///     is_stray: false,
///     is_ended: true,
///     is_delimited: true,
///     is_callable: &|name| name == "ls",
/// };
/// let attempt = find_attempt("I look. §call: {\"name\": \"ls\"}", &context).unwrap();
/// assert_eq!(attempt.kind, AttemptKind::Misplaced);
/// assert_eq!(attempt.text, "§call: {\"name\": \"ls\"}");
/// assert_eq!(find_attempt("A call begins with `§call:`.", &context), None);
/// ```
pub fn find_attempt(text: &str, context: &AnswerContext<'_>) -> Option<AnswerAttempt> {
    let prose = Prose::new(text);
    if let Some(delimiter) = invisible::find(&prose, context) {
        return Some(AnswerAttempt { kind: AttemptKind::Invisible, text: delimiter.to_owned() });
    }
    let found = [
        sigil_word::find(&prose, context),
        tag_name::find(&prose, context),
        other_format::find(&prose, context),
        call_json::find(&prose, context).or_else(|| code_call::find(&prose, context)),
    ];
    let first = found.into_iter().flatten().min_by_key(|(at, _)| *at);
    let (at, kind) = first.or_else(|| announcement::find(&prose, context))?;
    let text = excerpt(&text[at..]);
    let separator = prose.prose[..at].chars().next_back();
    Some(match separator {
        Some(char) if kind == AttemptKind::Misplaced && SEPARATORS.contains(&char) => {
            AnswerAttempt {
                kind: AttemptKind::Separated,
                text: format!("U+{:04X} {text}", u32::from(char)),
            }
        }
        _ => AnswerAttempt { kind, text },
    })
}

/// The characters that end a line for others, and not on the wire.
const SEPARATORS: [char; 6] = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// A position in the text, and the kind of the attempt there.
type FoundAttempt = (usize, AttemptKind);

/// Returns the beginning of a text on one line.
fn excerpt(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The length of an excerpt in characters.
const EXCERPT: usize = 80;
