use serde_json::{Map, Value};

use crate::tool::Failure;

/// Holds a call's arguments against the schema of its tool, before anybody is asked and anything
/// runs.
pub trait Validator: Send + Sync {
    /// `schema` is the tool's JSON schema, `args` the call's JSON object.
    ///
    /// # Errors
    ///
    /// A failure that tells the model which field is wrong, what was expected, and what it gave.
    fn check(&self, schema: &str, args: &str) -> Result<(), Failure>;
}

/// The part of JSON schema that tools mostly need: `type`, `properties`, `required`,
/// `additionalProperties` and `enum`, in objects within objects too. Other keywords are not
/// looked at: what they forbid is the tool's to refuse.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subset;

impl Validator for Subset {
    fn check(&self, schema: &str, args: &str) -> Result<(), Failure> {
        let schema: Value = serde_json::from_str(schema).map_err(|error| {
            Failure::new(format!(
                "the tool's own schema is not valid JSON ({error}); no arguments can be right, so \
                 do without this tool"
            ))
        })?;
        let args: Value = serde_json::from_str(args)
            .map_err(|error| Failure::new(format!("the arguments are not valid JSON: {error}")))?;
        let mut wrong = Vec::new();
        if args.is_object() {
            look(&schema, &args, "", &mut wrong);
        } else {
            wrong.push(format!("they must be an object, but are {}", described(&args)));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let more = wrong.len().saturating_sub(MAX_TOLD);
        wrong.truncate(MAX_TOLD);
        if more > 0 {
            wrong.push(format!("and {more} more"));
        }
        Err(Failure::new(format!("the arguments do not fit: {}", wrong.join("; "))))
    }
}

/// Mistakes told at once.
const MAX_TOLD: usize = 10;

/// Characters shown of a value that does not fit.
const MAX_SHOWN: usize = 60;

/// Notes what does not fit in `value`, which stands at `field` (empty for the arguments
/// themselves).
fn look(schema: &Value, value: &Value, field: &str, wrong: &mut Vec<String>) {
    if schema == &Value::Bool(false) {
        wrong.push(format!("`{field}` must not be given"));
        return;
    }
    let Value::Object(schema) = schema else { return };
    let types = types(schema);
    if !types.is_empty() && !types.iter().any(|name| is(value, name)) {
        let expected: Vec<_> = types.into_iter().map(with_article).collect();
        let expected = expected.join(" or ");
        wrong.push(format!("`{field}` must be {expected}, but is {}", described(value)));
        return;
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        let allowed = allowed.join(", ");
        wrong.push(format!("`{field}` must be one of {allowed}, but is {}", described(value)));
    }
    if let Value::Object(members) = value {
        look_inside(schema, members, field, wrong);
    }
}

fn look_inside(
    schema: &Map<String, Value>,
    members: &Map<String, Value>,
    field: &str,
    wrong: &mut Vec<String>,
) {
    let none = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    for name in strings(schema.get("required")) {
        if !members.contains_key(name) {
            let field = inner(field, name);
            let expected = known.get(name).and_then(Value::as_object).map(types);
            let expected = expected.filter(|types| !types.is_empty()).map_or_else(
                || "a value".to_owned(),
                |types| types.into_iter().map(with_article).collect::<Vec<_>>().join(" or "),
            );
            wrong.push(format!("`{field}` is missing, expected {expected}"));
        }
    }
    let others = schema.get("additionalProperties");
    for (name, value) in members {
        let field = inner(field, name);
        match (known.get(name), others) {
            (Some(schema), _) => look(schema, value, &field, wrong),
            (None, Some(Value::Bool(false))) => {
                let mut known: Vec<_> = known.keys().map(|name| format!("`{name}`")).collect();
                // Whatever order the JSON reader of this build keeps.
                known.sort_unstable();
                let expected = match &known[..] {
                    [] => "no arguments".to_owned(),
                    known => format!("only {}", known.join(", ")),
                };
                wrong.push(format!("`{field}` is unknown, expected {expected}"));
            }
            (None, Some(schema)) => look(schema, value, &field, wrong),
            (None, None) => {}
        }
    }
}

/// The types that a schema allows; none means any.
fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        types => strings(types).collect(),
    }
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn is(value: &Value, name: &str) -> bool {
    match (name, value) {
        // By the standard 1.0 is an integer.
        ("integer", Value::Number(number)) => {
            number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => name == type_name(value),
    }
}

const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_owned(),
        "integer" | "array" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

/// Type and text of a value, such as ``the string `"ten"` ``.
fn described(value: &Value) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let mut text = value.to_string();
    if let Some((cut, _)) = text.char_indices().nth(MAX_SHOWN) {
        text.truncate(cut);
        text.push('…');
    }
    format!("the {} `{text}`", type_name(value))
}

fn inner(field: &str, name: &str) -> String {
    if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") }
}
