//! Calls in code, if nothing else in the text is an answer.
//!
//! This module distinguishes calls in code from quotations, without the keys and forms of vendors.

use silcrow_lex::Dialect;

use super::call_json::begins_with_call;
use super::other_format::begins_with_line;
use super::prose::{CODE, CodeBlock, Prose};
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// Returns the first call in code. Code that is all of the answer is a call, unless nothing in it can be
/// called; other code may be a quotation if the model ended its answer.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let is_alone = prose.prose.chars().all(|char| char.is_whitespace() || char == CODE);
    let mut blocks = prose.code.iter();
    let is_attempt = |block: &&CodeBlock<'_>| {
        matches!(block.info, "tool_code" | "tool_call" | "tool_calls")
            || (!context.is_ended && hides_delimiter(block, context))
            || ((is_alone || !context.is_ended) && is_code_call(block, context))
            || (is_alone && is_command(block, context))
    };
    blocks.find(is_attempt).map(|block| (block.at, AttemptKind::Quoted))
}

/// Returns whether a line of code begins with a delimiter of the dialect, which code hides.
fn hides_delimiter(block: &CodeBlock<'_>, context: &AnswerContext<'_>) -> bool {
    let delimiters = match context.options.dialect {
        Dialect::Sigil => &["§think:", "§call:", "§respond:", "§execute", "§end"][..],
        Dialect::Phase => &["<think>", "<execute>", "<end>"],
        Dialect::Action => &["<thought>", "<action", "<response"],
    };
    let begins = |line: &str| delimiters.iter().any(|begin| line.trim_start().starts_with(begin));
    block.is_fence && block.text.lines().any(begins)
}

/// Returns whether code is one line that begins with the name of something that can be called, as a
/// shell's commands do. If the model ended its answer, the name must be none that a shell has.
fn is_command(block: &CodeBlock<'_>, context: &AnswerContext<'_>) -> bool {
    let code = block.text.trim();
    let line = code.trim_start_matches(['$', '>', '#', ' ']);
    let name = line.split_whitespace().next().unwrap_or_default();
    block.is_fence
        && !code.contains('\n')
        && (context.is_callable)(name)
        && (!context.is_ended || name.contains('_'))
}

/// Returns whether code is a call of something that can be called, with or without delimiters.
fn is_code_call(block: &CodeBlock<'_>, context: &AnswerContext<'_>) -> bool {
    if !block.is_fence && !block.text.contains('{') {
        return false;
    }
    if block.is_fence && begins_with_line(block.text, context) {
        return true;
    }
    let mut braces = block.text.match_indices(['{', '[']).map(|(at, _)| at);
    let from = braces.next();
    let marker = from.map(|from| block.text[..from].trim()).unwrap_or_default();
    // A marker and nothing else is before the object: a delimiter, or nothing.
    let is_marked = marker.is_empty()
        || marker.ends_with([':', '：', '>'])
        || marker.lines().last().is_some_and(|line| line.ends_with([':', '：', '>']));
    match from {
        Some(from) if is_marked => begins_with_call(&block.text[from..], context),
        _ => false,
    }
}
