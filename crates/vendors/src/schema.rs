//! The schemas of tools' arguments, as vendors take them.

use std::borrow::Cow;

use serde_json::value::RawValue;

/// Returns a schema as JSON. A schema that is not an object's, which no vendor takes, becomes the schema
/// of any object.
pub(crate) fn object_schema(schema: &str) -> Cow<'_, RawValue> {
    match serde_json::from_str::<&RawValue>(schema) {
        Ok(json) if json.get().starts_with('{') => Cow::Borrowed(json),
        _ => Cow::Owned(RawValue::from_string(ANY.to_owned()).expect("it is JSON")),
    }
}

/// Returns the arguments of a call as JSON. Invalid arguments in an old log are left out.
pub(crate) fn object(args: &str) -> Cow<'_, RawValue> {
    match serde_json::from_str::<&RawValue>(args) {
        Ok(json) => Cow::Borrowed(json),
        Err(_) => Cow::Owned(RawValue::from_string("{}".to_owned()).expect("it is JSON")),
    }
}

const ANY: &str = r#"{"type":"object","properties":{}}"#;
