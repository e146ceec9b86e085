//! The schemas of events, one for each kind, made of a table.
//!
//! This module has the fields of every event besides those of its kind. Clients choose the schema
//! by the field `type`.

use serde_json::{Map, Value, json};

/// Adds the schemas `Event`, which is any event, `StoredEvent`, which is one of a log, and a schema
/// for each kind, such as `CallTextEvent`.
pub(super) fn add_to(schemas: &mut Map<String, Value>) {
    // The file is JSON, which a test reads.
    let kinds = serde_json::from_str(include_str!("event_kinds.json"));
    let kinds: Map<String, Value> = kinds.unwrap_or_default();
    let (mut all, mut stored) = (Vec::new(), Vec::new());
    for (kind, fields) in kinds {
        let name = schema_name(&kind);
        let reference = format!("#/components/schemas/{name}");
        if fields["stored"] == true {
            stored.push((kind.clone(), reference.clone()));
        }
        schemas.insert(name, event(&kind, &fields));
        all.push((kind, reference));
    }
    schemas.insert("Event".to_owned(), one_of(&all));
    let mut of_log = one_of(&stored);
    of_log["required"] = json!(["type", "seq"]);
    schemas.insert("StoredEvent".to_owned(), of_log);
}

/// Returns the name of the schema of a kind.
fn schema_name(kind: &str) -> String {
    let words = kind.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.chain(["Event".to_owned()]).collect()
}

fn one_of(kinds: &[(String, String)]) -> Value {
    let schemas: Vec<_> = kinds.iter().map(|(_, place)| json!({ "$ref": place })).collect();
    let mapping: Map<_, _> =
        kinds.iter().map(|(kind, place)| (kind.clone(), place.clone().into())).collect();
    json!({
        "oneOf": schemas,
        "discriminator": { "propertyName": "type", "mapping": mapping },
    })
}

/// Returns the schema of the events of a kind.
fn event(kind: &str, fields: &Value) -> Value {
    let mut properties = everywhere();
    properties["type"] = json!({ "const": kind });
    let own = fields["properties"].as_object().into_iter().flatten();
    for (name, schema) in own {
        properties[name] = schema.clone();
    }
    let own = fields["required"].as_array().into_iter().flatten().cloned();
    let required: Vec<Value> = [Value::from("type")].into_iter().chain(own).collect();
    json!({
        "type": "object",
        "description": fields["description"],
        "required": required,
        "properties": properties,
        "additionalProperties": false,
    })
}

/// Returns the fields that an event of any kind may have (section 8 of the protocol).
fn everywhere() -> Value {
    let point = json!({
        "type": "object",
        "required": ["conversation", "seq"],
        "properties": {
            "conversation": { "type": "string" },
            "seq": { "type": "integer", "minimum": 0 },
        },
        "additionalProperties": false,
    });
    json!({
        "type": {},
        "timestamp": { "type": "number", "description": "Seconds since 1970." },
        "turn": { "type": "integer", "minimum": 0 },
        "seq": {
            "type": "integer",
            "minimum": 0,
            "description": "The position in the log; for an event that is not stored, the position of \
                            the last stored one.",
        },
        "conversation": { "type": "string" },
        "run": { "type": "string" },
        "traceparent": { "type": "string" },
        "forked_from": point,
        "replay_of": point,
        "agent_path": { "type": "string" },
        "user": { "type": "string" },
        "folder": { "type": "string" },
    })
}
