//! Arguments with outputs in place of their names.
//!
//! The JSON is not parsed: its strings are found and replaced, and everything else stays as
//! written.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use silcrow_event::Json;
use silcrow_expression::{NamePart, name_parts};

/// Returns the names that the strings of `args`, a JSON object, use. Keys are not read (P-26).
pub(crate) fn names_in(args: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for range in strings(args) {
        let Some(string) = read(&args[range]) else { continue };
        names.extend(name_parts(&string).filter_map(|piece| match piece {
            NamePart::Name(name) => Some(name.to_owned()),
            NamePart::Text(_) | NamePart::Escaped(_) => None,
        }));
    }
    names
}

/// The values that replace names. A name without a value stays as written.
pub(crate) type NamedValues<'v> = BTreeMap<&'v str, Cow<'v, Json>>;

/// Arguments with outputs in place of their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FilledArgs {
    /// A JSON object.
    pub(crate) json: String,
    /// The places of outputs that are strings and the whole of a value.
    pub(crate) texts: Vec<Range<usize>>,
}

/// Returns `args` with values in place of their names: a string that consists of a name becomes the
/// value itself, and a longer string contains the value's text. Returns `None` if the result is
/// longer than `max` bytes.
pub(crate) fn substitute(args: &str, values: &NamedValues<'_>, max: usize) -> Option<FilledArgs> {
    let mut out = String::with_capacity(args.len());
    let mut texts = Vec::new();
    let mut copied = 0;
    for range in strings(args) {
        let Some(string) = read(&args[range.clone()]) else { continue };
        let is_changed = |piece| match piece {
            NamePart::Text(_) => false,
            NamePart::Name(name) => values.contains_key(name),
            NamePart::Escaped(_) => true,
        };
        if !name_parts(&string).any(is_changed) {
            continue;
        }
        out.push_str(&args[copied..range.start]);
        copied = range.end;
        let mut parts = name_parts(&string);
        match (parts.next(), parts.next()) {
            (Some(NamePart::Name(name)), None) if let Some(value) = values.get(name) => {
                let begin = out.len();
                out.push_str(value.as_str());
                if value.as_str().starts_with('"') {
                    texts.push(begin..out.len());
                }
            }
            _ => {
                let room = max.checked_sub(out.len())?;
                out.push_str(Json::string(&inserted(&string, values, room)?).as_str());
            }
        }
        if out.len() > max {
            return None;
        }
    }
    out.push_str(&args[copied..]);
    (out.len() <= max).then_some(FilledArgs { json: out, texts })
}

/// Returns `text` with the texts of values in place of their names. Names in an inserted text are
/// not replaced.
fn inserted(text: &str, values: &NamedValues<'_>, max: usize) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    for piece in name_parts(text) {
        match piece {
            NamePart::Text(text) | NamePart::Escaped(text) => out.push_str(text),
            NamePart::Name(name) => match values.get(name) {
                Some(value) => out.push_str(&text_of(value)),
                None => {
                    out.push('$');
                    out.push_str(name);
                }
            },
        }
        if out.len() > max {
            return None;
        }
    }
    Some(out)
}

/// Returns the text of a value inside a text: the characters of a string, and compact JSON for
/// every other value (P-26).
pub(crate) fn text_of(value: &Json) -> String {
    if value.as_str().starts_with('"') {
        return value.to_text();
    }
    let json = value.as_str();
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(quote) = rest.find('"') {
        out.extend(rest[..quote].split_ascii_whitespace());
        let end = string_end(rest.as_bytes(), quote);
        out.push_str(&rest[quote..end]);
        rest = &rest[end..];
    }
    out.extend(rest.split_ascii_whitespace());
    out
}

/// Returns the content of a string, if it may contain a name.
fn read(quoted: &str) -> Option<String> {
    let may_hold = quoted.contains('$') || quoted.contains("\\u0024");
    may_hold.then(|| serde_json::from_str(quoted).ok()).flatten()
}

/// Returns the ranges of the strings of a JSON value that are not keys, including their quotes.
fn strings(json: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = json.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + json[at..].find('"')?;
            let end = string_end(bytes, start);
            at = end;
            let after = json[end..].trim_ascii_start();
            if !after.starts_with(':') {
                return Some(start..end);
            }
        }
    })
}

/// Returns the position after the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use silcrow_event::Json;

    use super::{names_in, substitute};

    fn put(args: &str, max: usize) -> Option<String> {
        let list = Json::parse("[1, \"$b\"]").unwrap();
        let text = Json::string("a \"quote\" and $a");
        let values = [("list", Cow::Borrowed(&list)), ("text", Cow::Borrowed(&text))];
        substitute(args, &values.into(), max).map(|filled| filled.json)
    }

    #[test]
    fn string_of_name_becomes_value() {
        let args = r#"{"a":"$list","b" : ["$text" , 1],"$list":"x"}"#;
        let want = r#"{"a":[1, "$b"],"b" : ["a \"quote\" and $a" , 1],"$list":"x"}"#;
        assert_eq!(put(args, 1000).unwrap(), want);
    }

    #[test]
    fn longer_string_contains_text_of_value() {
        let args = r#"{"a":"<$list> $text","b":"\u0024list!"}"#;
        let want = r#"{"a":"<[1,\"$b\"]> a \"quote\" and $a","b":"[1,\"$b\"]!"}"#;
        assert_eq!(put(args, 1000).unwrap(), want);
    }

    #[test]
    fn unbound_name_stays_as_written() {
        let args =
            r#"{"a":"$HOME/\"x","b":"5 $ \u00e9","c":"$$list and $$none","d":"\ud800$list"}"#;
        let want = r#"{"a":"$HOME/\"x","b":"5 $ \u00e9","c":"$list and $none","d":"\ud800$list"}"#;
        assert_eq!(put(args, 1000).unwrap(), want);
    }

    #[test]
    fn overlong_substituted_arguments_are_rejected() {
        let args = r#"{"a":"$text$text"}"#;
        let len = put(args, 1000).unwrap().len();
        assert!(put(args, len).is_some());
        assert!(put(args, len - 1).is_none());
    }

    #[test]
    fn names_are_found_only_in_values() {
        let args = r#"{"$key":"$a $b $$c","n":[{"m":"$a\\"},"$d"],"e":1}"#;
        assert_eq!(Vec::from_iter(names_in(args)), ["a", "b", "d"]);
    }
}
