//! Tags that are misspelled, out of place, or of another dialect or vendor.
//!
//! This module has the names of tags; others read attributes and JSON.

use std::collections::BTreeSet;

use silcrow_lex::Dialect;

use super::call_json::{begins_with_call, begins_with_object};
use super::prose::Prose;
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// A tag as it is in a text, however it is escaped.
struct WrittenTag<'t> {
    at: usize,
    /// The position after the tag.
    end: usize,
    /// The name in lower case.
    name: String,
    is_closing: bool,
    /// Whether an opening quotation mark is right before it, so that it is only named.
    is_quoted: bool,
    /// Whether its name, at least, is written like a delimiter of the dialect.
    is_own: bool,
    /// The text between the name and the end of the tag.
    attributes: &'t str,
}

/// The names of the tags of a text.
struct TagNames<'t> {
    /// The names that were opened so far.
    opened: BTreeSet<&'t str>,
    /// The names that are closed anywhere.
    closed: BTreeSet<&'t str>,
}

/// Returns the first tag that is an attempt.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let tags = tags(prose, context);
    if context.is_stray && is_frame(prose, &tags) {
        return None;
    }
    let closed = tags.iter().filter(|tag| tag.is_closing && !tag.is_quoted);
    let closed = closed.map(|tag| &*tag.name).collect();
    let mut names = TagNames { opened: BTreeSet::new(), closed };
    for tag in &tags {
        if !tag.is_quoted
            && let Some(kind) = attempt(prose, tag, &names, context)
        {
            return Some((tag.at, kind));
        }
        if !tag.is_closing {
            names.opened.insert(&tag.name);
        }
    }
    None
}

/// Returns whether a text consists of tags around answers or calls. Next to calls in the right form
/// they are only a frame, and contain nothing that would be lost.
fn is_frame(prose: &Prose<'_>, tags: &[WrittenTag<'_>]) -> bool {
    let mut end = 0;
    let is_blank = |from: usize, to: usize| prose.prose[from..to].trim().is_empty();
    let is_next = |tag: &WrittenTag<'_>| {
        let follows = tag.at >= end && is_blank(end, tag.at);
        end = tag.end;
        let has_name = |names: &[&str]| names.contains(&&*tag.name);
        follows && tag.attributes.is_empty() && (has_name(&ANSWERS) || has_name(&CALLS))
    };
    tags.iter().all(is_next) && is_blank(end, prose.prose.len())
}

fn attempt(
    prose: &Prose<'_>,
    tag: &WrittenTag<'_>,
    names: &TagNames<'_>,
    context: &AnswerContext<'_>,
) -> Option<AttemptKind> {
    let is_action = context.options.dialect == Dialect::Action;
    let form = match (tag.is_own, &*tag.name) {
        (true, _) => AttemptKind::Misplaced,
        (false, name) if own_names(context.options.dialect).contains(&name) => {
            AttemptKind::Misspelled
        }
        (false, "execute" | "action" | "response" | "end" | "thought" | "results") => {
            AttemptKind::OtherDialect
        }
        _ => AttemptKind::OtherFormat,
    };
    let is_stray = tag.is_closing && !names.opened.contains(&*tag.name);
    let has_body = begins_with_object(&prose.text[tag.end..])
        || prose.text[tag.end..].trim_start().starts_with("```");
    match &*tag.name {
        // An opening delimiter of `phase` is in its text only because the model escaped it.
        _ if tag.is_own && !tag.is_closing && !is_action => None,
        name if REASONING.contains(&name) => {
            // A delimiter of the dialect is meant as one wherever the answer begins.
            if context.is_delimited && !tag.is_own {
                return None;
            }
            let is_begun =
                !tag.is_closing && (prose.begins_text(tag.at) || names.closed.contains(name));
            (is_stray || is_begun).then_some(AttemptKind::Reasoning)
        }
        name if CALLS.contains(&name) => {
            let is_named = NAMING.iter().any(|name| tag.attributes.contains(name))
                || tag.attributes.starts_with('=');
            let content = prose.text[tag.end..].trim_start();
            let is_letter = |char: char| char.is_alphanumeric() || char == '_';
            let word = &content[..content.find(|char| !is_letter(char)).unwrap_or(content.len())];
            let is_named = is_named
                || (context.is_callable)(word)
                || (tag.name == "execute" && tag.attributes.ends_with('/'));
            let nests = prose.text[tag.end..].trim_start().starts_with(['<', '&']);
            let is_call = has_body || is_named || (nests && tag.name != "call");
            (is_stray || (!tag.is_closing && is_call)).then_some(form)
        }
        name if (context.is_callable)(name) => (!tag.is_closing).then_some(form),
        name if ANSWERS.contains(&name) => {
            let is_begun = !tag.is_closing && prose.begins_text(tag.at);
            let is_over = is_stray && prose.ends_text(tag.end);
            (is_begun || is_over).then_some(form)
        }
        "end" => {
            let is_alone = prose.begins_line(tag.at) && prose.ends_line(tag.end);
            (is_alone || prose.ends_text(tag.end)).then_some(form)
        }
        name if is_result(name) => {
            // Next to calls, its text passes for their results, whatever it says.
            let is_forged = has_body || (context.is_stray && !prose.ends_text(tag.end));
            (!tag.is_closing && is_forged).then_some(AttemptKind::Forged)
        }
        // A tag around a call of a known name was meant to call it, whatever the tag's name.
        _ => {
            let is_call = begins_with_call(&prose.text[tag.end..], context);
            (!tag.is_closing && is_call).then_some(form)
        }
    }
}

fn tags<'t>(prose: &'t Prose<'_>, context: &AnswerContext<'_>) -> Vec<WrittenTag<'t>> {
    let text = &*prose.prose;
    let mut tags = Vec::new();
    for brackets in BRACKETS {
        tags.extend(prose.positions(brackets.0).filter_map(|at| {
            let is_escaped = text[..at].ends_with('<');
            let tag = if is_escaped { None } else { tag(text, at, brackets, context) };
            tag.map(|tag| WrittenTag { is_quoted: prose.is_quoted(at), ..tag })
        }));
    }
    tags.sort_by_key(|tag| tag.at);
    tags
}

/// Reads a tag between two brackets. A tag is short and on one line.
fn tag<'t>(
    text: &'t str,
    at: usize,
    (opening, closing): (&str, &str),
    context: &AnswerContext<'_>,
) -> Option<WrittenTag<'t>> {
    let rest = text[at + opening.len()..].trim_start_matches([' ', '\t']);
    let is_closing = rest.starts_with('/');
    let rest = rest.trim_start_matches(['/', ' ']);
    let is_letter = |char: char| char.is_alphanumeric() || "_-:.".contains(char);
    let len = rest.find(|char| !is_letter(char)).unwrap_or(rest.len());
    let (written, after) = rest.split_at(len);
    if written.is_empty() || len > MAX_NAME {
        return None;
    }
    // A tag ends before another begins.
    let len = after.find(['<', '\n', '＜']).unwrap_or(after.len());
    let len = after[..len].find(opening).unwrap_or(len);
    let close = after[..len].find(closing).filter(|close| *close <= MAX_TAG)?;
    let end = text.len() - after.len() + close + closing.len();
    let lower = written.to_ascii_lowercase();
    let name = lower.rsplit(':').next().unwrap_or_default().to_owned();
    let slash = if is_closing { "/" } else { "" };
    let has_closing = written != "end";
    let is_own = own_names(context.options.dialect).contains(&written)
        && (has_closing || !is_closing)
        && text[at..].starts_with(&format!("<{slash}{written}"));
    // Only an action and a response have attributes.
    let is_own = is_own && (close == 0 || matches!(written, "action" | "response"));
    Some(WrittenTag {
        at,
        end,
        name,
        is_closing,
        is_quoted: false,
        is_own,
        attributes: &after[..close],
    })
}

/// Returns the names of the dialect's tags.
const fn own_names(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Sigil => &[],
        Dialect::Phase => &["think", "execute", "results", "end"],
        Dialect::Action => &["thought", "action", "response"],
    }
}

/// The brackets of a tag, and the characters that models write in their place.
const BRACKETS: [(&str, &str); 5] =
    [("<", ">"), ("&lt;", "&gt;"), ("＜", "＞"), ("\\u003c", "\\u003e"), ("\\u003C", "\\u003E")];

/// The tags around reasoning.
const REASONING: [&str; 9] = [
    "think",
    "thought",
    "thoughts",
    "thinking",
    "reasoning",
    "reflection",
    "scratchpad",
    "analysis",
    "inner_monologue",
];

/// The tags around answers.
const ANSWERS: [&str; 6] = ["response", "answer", "final_answer", "final", "respond", "output"];

/// The tags around calls.
const CALLS: [&str; 17] = [
    "action",
    "actions",
    "execute",
    "call",
    "calls",
    "tool",
    "tools",
    "tool_call",
    "tool_calls",
    "toolcall",
    "tool_use",
    "tool_code",
    "function",
    "function_call",
    "function_calls",
    "functioncall",
    "invoke",
];

/// Returns whether a tag of this name is around results.
fn is_result(name: &str) -> bool {
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or_default();
    let is_whole = last == name;
    match last {
        "result" | "results" | "observation" | "observations" => true,
        "output" | "outputs" | "response" | "responses" => !is_whole && !name.starts_with("final"),
        _ => false,
    }
}

/// The attributes that hold the name of a call.
const NAMING: [&str; 3] = ["name=", "name =", "tool="];

/// The length of the longest name in bytes.
const MAX_NAME: usize = 64;

/// The length of the longest tag in bytes (P-19).
const MAX_TAG: usize = 1024;
