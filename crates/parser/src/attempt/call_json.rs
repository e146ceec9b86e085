//! Calls as JSON without a delimiter.
//!
//! This module has the keys that vendors use. Only the name of something that can be called makes
//! an object a call.

use serde_json::{Map, Value};

use super::prose::{Prose, is_emblem};
use super::written_call::is_written_call;
use super::{AnswerContext, AttemptKind, FoundAttempt};

/// Returns whether a text begins with a call as JSON, perhaps a broken one. A text with a call of
/// something unknown counts if it is the whole of an object.
pub(super) fn begins_with_call(text: &str, context: &AnswerContext<'_>) -> bool {
    let text = text.trim_start();
    if !text.starts_with(['{', '[']) {
        return false;
    }
    match serde_json::Deserializer::from_str(text).into_iter::<Value>().next() {
        Some(Ok(value)) => is_call(&value, context),
        _ => names_callable(text, context),
    }
}

/// Returns whether a text begins with an object or a list of objects, which may be cut off.
pub(super) fn begins_with_object(text: &str) -> bool {
    let text = text.trim_start();
    let inner = text.strip_prefix('[').map(str::trim_start).unwrap_or(text);
    let Some(key) = inner.strip_prefix(['{', '｛']).map(str::trim_start) else { return false };
    key.starts_with(['"', '\'', '“']) || key.starts_with(|char: char| char.is_ascii_alphabetic())
}

/// Returns the first call at the start of a line.
pub(super) fn find(prose: &Prose<'_>, context: &AnswerContext<'_>) -> Option<FoundAttempt> {
    let (mut at, mut parsed, mut broken) = (0, 0, 0);
    for line in prose.prose.split_inclusive('\n') {
        let unmarked = line.trim_start_matches(may_precede);
        // A name directly before the brackets is a vendor's, such as `functools[…]`.
        let call = unmarked.trim_start_matches(|char: char| char.is_ascii_alphabetic());
        let start = at + line.len() - call.len();
        at += line.len();
        if start < parsed || !call.starts_with(['{', '[']) {
            continue;
        }
        let rest = &prose.text[start..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) if is_call(&value, context) => {
                return Some((start, AttemptKind::OtherFormat));
            }
            Some(Ok(_)) => parsed = start + values.byte_offset(),
            _ if names_callable(rest, context) => return Some((start, AttemptKind::OtherFormat)),
            _ => broken += 1,
        }
        if broken == MAX_BROKEN {
            break;
        }
    }
    None
}

/// Returns whether a character may be before a call on its line.
fn may_precede(char: char) -> bool {
    "\t>-*".contains(char) || is_emblem(char)
}

/// Returns whether a value is a call of something that can be called, in the form of any vendor.
fn is_call(value: &Value, context: &AnswerContext<'_>) -> bool {
    match value {
        Value::Array(items) => items.first().is_some_and(|item| is_call(item, context)),
        Value::Object(object) => is_call_object(object, context),
        _ => false,
    }
}

fn is_call_object(object: &Map<String, Value>, context: &AnswerContext<'_>) -> bool {
    if ENVELOPES
        .iter()
        .any(|key| object.get(*key).is_some_and(|value| value.is_array() || value.is_object()))
        && (object.contains_key("tool_calls")
            || ENVELOPES
                .iter()
                .any(|key| object.get(*key).is_some_and(|inner| is_call(inner, context))))
    {
        return true;
    }
    let callable = |value: &Value| value.as_str().is_some_and(|name| is_callable(name, context));
    if NAMES.iter().any(|key| object.get(*key).is_some_and(callable)) {
        return true;
    }
    // Code in JSON, as some models write it.
    let code = object.get("tool_code").and_then(Value::as_str);
    if code.is_some_and(|code| is_written_call(code, context)) {
        return true;
    }
    let mut keys = object.iter();
    matches!((keys.next(), keys.next()), (Some((key, Value::Object(_))), None) if is_callable(key, context))
}

/// Returns whether the beginning of broken JSON names something that can be called.
fn names_callable(text: &str, context: &AnswerContext<'_>) -> bool {
    let end = text.char_indices().nth(BEGINNING).map_or(text.len(), |(end, _)| end);
    let beginning = &text[..end];
    NAMES.iter().any(|key| {
        beginning.match_indices(key).any(|(at, key)| {
            let rest = beginning[at + key.len()..].trim_start_matches(['"', '\'', '”', '“', '\\']);
            let Some(value) = rest.trim_start().strip_prefix([':', '=', '：']) else {
                return false;
            };
            let value = value.trim_start().trim_start_matches(['"', '\'', '”', '“', '\\']);
            let name = value.split(|char: char| !(char.is_alphanumeric() || "_-.".contains(char)));
            name.into_iter().next().is_some_and(|name| is_callable(name, context))
        })
    })
}

fn is_callable(name: &str, context: &AnswerContext<'_>) -> bool {
    let name = name.strip_prefix("functions.").unwrap_or(name);
    (context.is_callable)(name)
}

/// The keys that hold the name of a call.
const NAMES: [&str; 7] =
    ["name", "tool", "tool_name", "function", "function_name", "action", "recipient_name"];

/// The keys that hold a call, or a list of calls.
const ENVELOPES: [&str; 10] = [
    "tool_calls",
    "tool_call",
    "function_call",
    "calls",
    "tool_uses",
    "function",
    "call",
    "action",
    "actions",
    "tool",
];

/// The number of broken objects after which the search stops.
const MAX_BROKEN: usize = 64;

/// The maximum number of characters of a broken call that is recognised.
const BEGINNING: usize = 200;
