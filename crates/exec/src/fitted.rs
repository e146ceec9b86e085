//! Outputs that are JSON text, for parameters that want the value.
//!
//! A tool returns text, and another one wants a number, a list or an object. This module finds the
//! places at which a schema wants such a value and an output is its text. It changes nothing that the
//! model wrote.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;
use silcrow_plan::ReadyCall;

/// Replaces the outputs in the arguments that are the JSON text of a value which the schema wants
/// there.
pub(crate) fn fit_outputs(ready: &mut ReadyCall, schema: &str) {
    if ready.text_outputs().is_empty() {
        return;
    }
    let Ok(schema) = serde_json::from_str::<Value>(schema) else { return };
    let mut search = Search { args: ready.args(), texts: ready.text_outputs(), found: Vec::new() };
    search.look(&schema, ready.args());
    let mut found = search.found;
    found.sort_by_key(|place| place.start);
    ready.read_outputs(&found);
}

struct Search<'a> {
    args: &'a str,
    texts: &'a [Range<usize>],
    found: Vec<Range<usize>>,
}

impl<'a> Search<'a> {
    /// Looks for such outputs in `json`, a part of the arguments.
    fn look(&mut self, schema: &Value, json: &'a str) {
        match json.as_bytes().first() {
            Some(b'"') => self.look_at_text(schema, json),
            Some(b'{') => {
                let members: BTreeMap<Cow<'_, str>, &RawValue> =
                    serde_json::from_str(json).unwrap_or_default();
                for (name, value) in members {
                    let own = schema.get("properties").and_then(|known| known.get(&*name));
                    if let Some(own) = own.or_else(|| schema.get("additionalProperties")) {
                        self.look(own, value.get());
                    }
                }
            }
            Some(b'[') => {
                let Some(schema) = schema.get("items") else { return };
                let items: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
                items.into_iter().for_each(|item| self.look(schema, item.get()));
            }
            _ => {}
        }
    }

    fn look_at_text(&mut self, schema: &Value, json: &str) {
        // Both are slices of the arguments.
        let begin = json.as_ptr().addr() - self.args.as_ptr().addr();
        let place = begin..begin + json.len();
        if self.texts.contains(&place)
            && let Ok(text) = serde_json::from_str::<String>(json)
            && let Ok(value) = serde_json::from_str::<Value>(&text)
            && wants(schema, &value)
        {
            self.found.push(place);
        }
    }
}

/// Returns whether a schema wants this number, list or object, and no string.
fn wants(schema: &Value, value: &Value) -> bool {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        _ => return false,
    };
    let is_wanted = |name: &str| match value {
        Value::Number(number) => {
            name == "number"
                || name == "integer" && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        _ => false,
    };
    !types.contains(&"string") && types.into_iter().any(is_wanted)
}
