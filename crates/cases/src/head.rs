//! The head of a section: `--- call a1 type=tool depends_on=["b"]`.
//!
//! This module reads and writes the syntax of a head.

use serde_json::{Deserializer, Value};

use crate::case::SECTIONS;
use crate::{CaseSection, marks};

/// Reads the text after `--- ` as a section without a text.
pub(crate) fn read(head: &str) -> Result<CaseSection, String> {
    let (name, mut rest) = head.split_once(' ').unwrap_or((head, ""));
    if !SECTIONS.contains(&name) {
        let all = SECTIONS.join(", ");
        return Err(format!("`{name}` is not a section; the sections are {all}"));
    }
    let mut section = CaseSection { name: name.to_owned(), ..CaseSection::default() };
    while !rest.is_empty() {
        let key = key(rest);
        let (value, after) = value(&rest[key.map_or(0, |key| key.len() + 1)..])?;
        rest = match after.strip_prefix(' ') {
            Some(rest) if !rest.is_empty() => rest,
            None if after.is_empty() => after,
            _ => return Err(format!("`{after}` follows a value; one space separates two")),
        };
        match (key, value) {
            (Some(key), _) if section.attribute(key).is_some() => {
                return Err(format!("the attribute `{key}` is given twice"));
            }
            (Some(key), value) => section.attributes.push((key.to_owned(), value)),
            (None, Value::String(subject))
                if section.subject.is_none() && section.attributes.is_empty() =>
            {
                section.subject = Some(subject);
            }
            (None, other) => {
                return Err(format!("`{other}` is not an attribute; write key=value"));
            }
        }
    }
    Ok(section)
}

/// Returns the key of the attribute with which `rest` begins.
fn key(rest: &str) -> Option<&str> {
    let (key, _) = rest.split_once('=')?;
    (!key.is_empty() && key.bytes().all(is_key)).then_some(key)
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte == b'_'
}

/// Reads a value, JSON or a plain word, and returns the rest of the text.
fn value(rest: &str) -> Result<(Value, &str), String> {
    if rest.starts_with(['"', '[', '{']) {
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        return match values.next() {
            Some(Ok(value)) => Ok((value, &rest[values.byte_offset()..])),
            _ => Err(format!("`{rest}` does not begin with JSON")),
        };
    }
    let (word, _) = rest.split_once(' ').unwrap_or((rest, ""));
    if word.is_empty() {
        return Err("a value is missing".to_owned());
    }
    let value = serde_json::from_str(word).unwrap_or_else(|_| Value::String(word.to_owned()));
    Ok((value, &rest[word.len()..]))
}

/// Writes the head of a section, which [`read`] reads.
pub(crate) fn write(section: &CaseSection) -> String {
    let mut head = section.name.clone();
    if let Some(subject) = &section.subject {
        head.push(' ');
        head.push_str(&write_value(&Value::String(subject.clone())));
    }
    for (key, value) in &section.attributes {
        head.push_str(&format!(" {key}={}", write_value(value)));
    }
    head
}

/// Writes a string as a plain word if it is read back as one, and everything else as JSON.
fn write_value(value: &Value) -> String {
    match value {
        Value::String(word) if is_plain(word) => word.clone(),
        value => value.to_string().chars().map(visible).collect(),
    }
}

/// Returns a character of JSON, as an escape if a reader could not see it.
fn visible(char: char) -> String {
    if marks::is_visible(char) {
        return char.to_string();
    }
    char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

fn is_plain(word: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-.:>".contains(char);
    !word.is_empty() && word.chars().all(is_plain) && serde_json::from_str::<Value>(word).is_err()
}
