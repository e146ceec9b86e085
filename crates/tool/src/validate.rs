//! Validation of arguments against a schema.
//!
//! This module has the built-in validator and the interface for others. Its callers provide the
//! schema.

use serde_json::{Map, Value};

use crate::argument_errors::{ArgumentErrors, type_name};
use crate::tool_output::ToolError;

/// Checks the arguments of a call against the schema of its tool, before anybody is asked and
/// anything runs.
///
/// ```
/// use silcrow_tool::{BasicValidator, ToolError, Validator};
///
/// /// Accepts what fits the schema and is short.
/// struct ShortArgs;
///
/// impl Validator for ShortArgs {
///     fn check(&self, schema: &str, args: &str) -> Result<(), ToolError> {
///         BasicValidator.check(schema, args)?;
///         match args.len() {
///             ..=100 => Ok(()),
///             long => Err(ToolError::new(format!("{long} bytes of arguments are too many"))),
///         }
///     }
/// }
///
/// assert!(ShortArgs.check("{}", r#"{"n":1}"#).is_ok());
/// assert!(ShortArgs.check("{}", &format!(r#"{{"n":{:200}}}"#, 1)).is_err());
/// ```
pub trait Validator: Send + Sync {
    /// Checks `args`, a JSON object, against `schema`, the tool's JSON schema.
    ///
    /// # Errors
    ///
    /// Returns a failure that names the wrong field, the expected value and the given one, in the
    /// words of [`ArgumentErrors`].
    fn check(&self, schema: &str, args: &str) -> Result<(), ToolError>;
}

impl<V: Validator + ?Sized> Validator for std::sync::Arc<V> {
    fn check(&self, schema: &str, args: &str) -> Result<(), ToolError> {
        (**self).check(schema, args)
    }
}

/// A validator for the part of JSON schema that most tools need: `type`, `properties`, `required`,
/// `additionalProperties`, `items` and `enum`, including nested objects and arrays. It ignores
/// other keywords, so the tool itself rejects values that they forbid.
///
/// ```
/// use silcrow_tool::{BasicValidator, Validator as _};
///
/// let schema = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}"#;
/// // In JSON schema, 1.0 is an integer.
/// assert!(BasicValidator.check(schema, r#"{"n":1.0}"#).is_ok());
/// let why = BasicValidator.check(schema, r#"{"n":"1"}"#).unwrap_err().to_string();
/// assert!(why.contains("`n`") && why.contains("integer"), "{why}");
/// // It does not know `minimum`, so the tool checks that itself.
/// assert!(BasicValidator.check(schema, r#"{"n":0}"#).is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct BasicValidator;

impl Validator for BasicValidator {
    fn check(&self, schema: &str, args: &str) -> Result<(), ToolError> {
        let schema: Value = serde_json::from_str(schema).map_err(|error| {
            ToolError::new(format!(
                "the tool's own schema is not valid JSON ({error}); no arguments can be right, so \
                 do without this tool"
            ))
        })?;
        let args: Value = serde_json::from_str(args).map_err(|error| {
            ToolError::new(format!("the arguments are not valid JSON: {error}"))
        })?;
        let mut errors = ArgumentErrors::new();
        if args.is_object() {
            look(&schema, &args, "", &mut errors);
        } else {
            errors.must_be_of("", &["object"], &args);
        }
        errors.into_result()
    }
}

/// Collects the errors in `value`, the value of `field` (empty for the arguments themselves).
fn look(schema: &Value, value: &Value, field: &str, errors: &mut ArgumentErrors) {
    if schema == &Value::Bool(false) {
        return errors.forbidden(field);
    }
    let Value::Object(schema) = schema else { return };
    let types = types(schema);
    if !types.is_empty() && !types.iter().any(|name| is(value, name)) {
        return errors.must_be_of(field, &types, value);
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        errors.must_be(field, &format!("one of {}", allowed.join(", ")), value);
    }
    match value {
        Value::Object(members) => look_inside(schema, members, field, errors),
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            for (index, item) in items.iter().enumerate() {
                look(schema, item, &format!("{field}[{index}]"), errors);
            }
        }
        _ => {}
    }
}

fn look_inside(
    schema: &Map<String, Value>,
    members: &Map<String, Value>,
    field: &str,
    errors: &mut ArgumentErrors,
) {
    let none = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    for name in strings(schema.get("required")) {
        if !members.contains_key(name) {
            let expected = known.get(name).and_then(Value::as_object).map(types);
            errors.missing(&inner(field, name), &expected.unwrap_or_default());
        }
    }
    let others = schema.get("additionalProperties");
    for (name, value) in members {
        let field = inner(field, name);
        match (known.get(name), others) {
            (Some(schema), _) => look(schema, value, &field, errors),
            (None, Some(Value::Bool(false))) => {
                errors.unknown(&field, known.keys().map(String::as_str));
            }
            (None, Some(schema)) => look(schema, value, &field, errors),
            (None, None) => {}
        }
    }
}

/// Returns the types that a schema allows; an empty list means any.
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
        // In JSON schema, 1.0 is an integer.
        ("integer", Value::Number(number)) => {
            number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => name == type_name(value),
    }
}

fn inner(field: &str, name: &str) -> String {
    if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") }
}
