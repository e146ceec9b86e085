//! Gives a bare text the type that the schema of its tool asks for.
//!
//! This module has the table of types. Its callers find the beginning and end of a text.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::json_text;
use crate::tool_schemas::{PermittedTypes, SchemaNode};

/// The type of a value that the text gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeHint<'a> {
    /// None: the schema decides.
    None,
    /// The value is a string.
    String,
    /// The value is JSON of any type.
    Json,
    /// The value has this type.
    Named(&'a str),
}

/// Returns whether a value is certainly a string, so that it can be emitted as it arrives.
pub(crate) fn is_text(schema: Option<SchemaNode<'_>>, hint: TypeHint<'_>) -> bool {
    let permitted = schema.map(SchemaNode::permitted).unwrap_or_default();
    match hint {
        TypeHint::None => permitted.is_text(),
        TypeHint::String | TypeHint::Named("string") => {
            permitted.names.is_empty() || permitted.has("string")
        }
        TypeHint::Json | TypeHint::Named(_) => false,
    }
}

/// Appends a bare text as JSON of the type that it is to have. A text that does not fit is a string.
pub(crate) fn write(
    text: &str,
    schema: Option<SchemaNode<'_>>,
    hint: TypeHint<'_>,
    out: &mut String,
) {
    let permitted = schema.map(SchemaNode::permitted).unwrap_or_default();
    let trimmed = text.trim();
    let open = permitted.names.is_empty();
    let value = match hint {
        TypeHint::String | TypeHint::Named("string") if open || permitted.has("string") => None,
        TypeHint::Json => {
            let value = json(trimmed);
            value.filter(|value| open || permitted.names.iter().any(|name| is_of(value, name)))
        }
        TypeHint::Named(name) if name != "string" => {
            let value = of_type(trimmed, name);
            value.filter(|value| open || permitted.names.iter().any(|name| is_of(value, name)))
        }
        _ => by_schema(text, &permitted),
    };
    match value {
        Some(value) => out.push_str(&value),
        None => json_text::string(text, out),
    }
}

fn by_schema(text: &str, permitted: &PermittedTypes<'_>) -> Option<String> {
    let trimmed = text.trim();
    for literal in &permitted.literals {
        match literal {
            Value::String(one) if one == text => return None,
            Value::String(_) => {}
            other => {
                if serde_json::to_string(other).is_ok_and(|literal| literal == trimmed) {
                    return Some(trimmed.to_owned());
                }
            }
        }
    }
    permitted.names.iter().find_map(|name| of_type(trimmed, name))
}

/// Returns a text as JSON of a type, or `None` if it is not of this type. Strings are left to the
/// caller.
fn of_type(text: &str, name: &str) -> Option<String> {
    match name {
        "integer" => json_text::integer(text),
        "number" => json_text::is_number(text).then(|| text.to_owned()),
        "boolean" if text.eq_ignore_ascii_case("true") => Some("true".to_owned()),
        "boolean" if text.eq_ignore_ascii_case("false") => Some("false".to_owned()),
        "null" if ["null", "none"].iter().any(|word| text.eq_ignore_ascii_case(word)) => {
            Some("null".to_owned())
        }
        "object" if text.is_empty() => Some("{}".to_owned()),
        "array" if text.is_empty() => Some("[]".to_owned()),
        "object" | "array" => json(text).filter(|value| is_of(value, name)),
        _ => None,
    }
}

/// Returns a text that is JSON.
fn json(text: &str) -> Option<String> {
    let is_finite = !text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
        || json_text::is_number(text);
    (is_finite && serde_json::from_str::<&RawValue>(text).is_ok()).then(|| text.to_owned())
}

/// Returns whether JSON is of a type.
fn is_of(value: &str, name: &str) -> bool {
    match value.as_bytes().first() {
        Some(b'{') => name == "object",
        Some(b'[') => name == "array",
        Some(b'"') => name == "string",
        Some(b't' | b'f') => name == "boolean",
        Some(b'n') => name == "null",
        Some(_) => name == "number" || (name == "integer" && json_text::integer(value).is_some()),
        None => false,
    }
}
