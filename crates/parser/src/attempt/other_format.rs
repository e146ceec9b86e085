//! Calls in forms without tags or signs: special tokens, and lines such as `Action:`.
//!
//! This module recognizes the forms of vendors; others read the JSON.

use super::call_json::begins_with_call;
use super::prose::{Prose, is_emblem};
use super::written_call::{first_name, is_written_call};
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// Returns the first such form in the text.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let token = special_token(prose, context).map(|at| (at, AttemptKind::OtherFormat));
    let line = lines(prose, context);
    let end = bracketed_end(prose, context).map(|at| (at, AttemptKind::OtherFormat));
    token.into_iter().chain(line).chain(end).min_by_key(|(at, _)| *at)
}

/// Returns the position of the first special token of a model.
fn special_token(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<usize> {
    let is_meant = |token: &&&str| !(context.is_delimited && THOUGHTS.contains(*token));
    let known =
        TOKENS.iter().filter(is_meant).filter_map(|token| prose.positions(token).next()).min();
    let framed = FRAMES.iter().filter_map(|(open, close)| framed(prose, open, close)).min();
    known.into_iter().chain(framed).min()
}

/// Returns the position of the first token between these signs.
fn framed(prose: &Prose<'_>, open: &'static str, close: &str) -> Option<usize> {
    let text = &*prose.prose;
    let is_letter = |char: char| char.is_alphanumeric() || "_-▁ ".contains(char);
    prose.positions(open).find(|at| {
        let rest = &text[at + open.len()..];
        let len = rest.find(|char| !is_letter(char)).unwrap_or(rest.len());
        (1..=MAX_TOKEN).contains(&len) && rest[len..].starts_with(close)
    })
}

/// Returns the position of an end in brackets, with which an answer without an end ends.
fn bracketed_end(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<usize> {
    let text = prose.prose.trim_end();
    let end = ENDS.iter().find(|end| text.ends_with(**end)).filter(|_| !context.is_ended)?;
    Some(text.len() - end.len())
}

/// Looks for lines that are calls, results or words of the person.
fn lines(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    if !context.is_ended && is_command(prose.prose.trim(), context) {
        return Some((0, AttemptKind::OtherFormat));
    }
    let is_reasoned = prose.prose.trim_start().starts_with("Thought:");
    let mut at = 0;
    for line in prose.prose.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim().trim_matches(['*', '_', '#', '>', ' ']);
        let line = line.trim_start_matches(is_emblem);
        if names_call(line, context) || is_written_call(line, context) {
            return Some((start, AttemptKind::OtherFormat));
        }
        if is_reasoned && !context.is_delimited && line.starts_with("Final Answer:") {
            return Some((0, AttemptKind::Reasoning));
        }
        let is_other = !context.is_ended && OTHERS.iter().any(|other| line.starts_with(other));
        let is_result = || RESULT_LINES.iter().any(|begin| begins_with(line, begin));
        if (start > 0 && is_other) || (context.is_stray && is_result()) {
            return Some((start, AttemptKind::Forged));
        }
    }
    None
}

/// Returns whether the first line of code is a call in such a form.
pub(super) fn begins_with_line(code: &str, context: &AnswerContext<'_>) -> bool {
    let line = code.trim_start().lines().next().unwrap_or_default().trim_end();
    names_call(line, context) || is_written_call(line, context)
}

/// Returns whether a line is `Action: NAME` or alike.
fn names_call(line: &str, context: &AnswerContext<'_>) -> bool {
    let Some((key, value)) = line.split_once([':', '：', '=']) else { return false };
    let is_sign = |char: char| !char.is_alphanumeric() && char != '§';
    let key = key.trim_matches(is_sign).to_ascii_lowercase();
    if key == "action input" {
        return true;
    }
    let value = value.trim_start_matches(MARKS);
    KEYS.contains(&&*key)
        && ((context.is_callable)(first_name(value)) || begins_with_call(value, context))
}

/// Returns whether a text is one line with a command of a chat or of a shell.
fn is_command(text: &str, context: &AnswerContext<'_>) -> bool {
    let command = text.strip_prefix(['/', '@', '$', '!']).map(str::trim_start);
    !text.contains('\n') && command.is_some_and(|text| (context.is_callable)(first_name(text)))
}

/// Marks of Markdown and quotation marks around a name.
const MARKS: [char; 6] = ['*', '_', ' ', '`', '"', '\''];

/// The keys before the name of a call.
const KEYS: [&str; 9] = [
    "to",
    "action",
    "tool",
    "tool call",
    "tool_call",
    "function",
    "function call",
    "calling tool",
    "call",
];

/// The beginnings of lines that the person or the framework writes.
const OTHERS: [&str; 5] = ["Human:", "User:", "Observation:", "Tool result:", "Tool Result:"];

/// The beginnings of lines that pass for results if they are next to calls.
const RESULT_LINES: [&str; 9] = [
    "observation:",
    "observations:",
    "result:",
    "results:",
    "tool result:",
    "tool output:",
    "tool response:",
    "output:",
    "[system:",
];

fn begins_with(line: &str, begin: &str) -> bool {
    line.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin))
}

/// The words that models write in place of an end delimiter.
const ENDS: [&str; 4] = ["[end]", "[END]", "[DONE]", "[/end]"];

/// The signs around special tokens.
const FRAMES: [(&str, &str); 4] = [("<|", "|>"), ("<｜", "｜>"), ("<|", ">"), ("<", "|>")];

/// The ones around thoughts.
const THOUGHTS: [&str; 4] = ["[THINK]", "[/THINK]", "◁think▷", "◁/think▷"];

/// Special tokens without such signs.
const TOKENS: [&str; 45] = [
    "[TOOL_CALLS]",
    "[TOOL_CALL]",
    "[TOOL_REQUEST]",
    "[TOOL_RESULTS]",
    "[AVAILABLE_TOOLS]",
    "[/INST]",
    "[THINK]",
    "[/THINK]",
    "[INST]",
    "<<SYS>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
    "</s>",
    "to=functions.",
    "<function=",
    "｜DSML｜",
    "|DSML|",
    "<|channel>",
    "<channel|>",
    "]<]minimax[>[",
    "<minimax:tool_call>",
    "<steptml:",
    "<seed:tool_call>",
    "<longcat_tool_call>",
    "]~b]",
    "◁think▷",
    "◁/think▷",
    // Some servers drop the signs around a token, or one of them.
    "tool▁calls▁begin",
    "tool▁call▁begin",
    "tool_calls_section_begin",
    "tool_call_argument_begin",
    "tool▁calls▁end",
    "tool▁call▁end",
    "tool▁outputs▁begin",
    "tool▁outputs▁end",
    "｜tool_",
    "tool_calls_section_end",
    "|tool_call_begin|",
    "|tool_call_end|",
    "|im_start|",
    "|im_end|",
    "|eot_id|",
    "|constrain|",
];

/// The length of the longest token between signs in bytes.
const MAX_TOKEN: usize = 64;
