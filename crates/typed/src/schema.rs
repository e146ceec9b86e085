//! JSON schemas of types: the same bytes in every build.
//!
//! Schemas are inlined, because models and simple validators follow references badly.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Returns the schema of a struct.
///
/// # Panics
///
/// Panics if the schema is not one of JSON objects.
pub(crate) fn of_struct<A: JsonSchema>() -> String {
    let mut schema = generator().into_root_schema_for::<A>();
    // The name of the struct means nothing to the model.
    schema.remove("title");
    let object = Value::from("object");
    let kind = schema.ensure_object().entry("type").or_insert_with(|| object.clone());
    assert!(
        *kind == object,
        "`{}` is not read from a JSON object but from {kind}",
        A::schema_name()
    );
    let mut schema = schema.to_value();
    // The JSON reader of this build may keep members in another order.
    schema.sort_all_objects();
    schema.to_string()
}

/// Returns the schema of an object with these properties, each with its schema and whether it is
/// required.
///
/// # Panics
///
/// Panics if two properties have the same name.
pub(crate) fn of_parameters<const N: usize>(
    names: [&str; N],
    schemas: impl FnOnce(&mut SchemaGenerator) -> [(Schema, bool); N],
) -> String {
    let mut generator = generator();
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, (schema, is_required)) in names.into_iter().zip(schemas(&mut generator)) {
        let other = properties.insert(name.to_owned(), schema.to_value());
        assert!(other.is_none(), "two arguments have the name `{name}`");
        if is_required {
            required.push(name);
        }
    }
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    // Only types that contain themselves have definitions.
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        schema["$defs"] = Value::Object(definitions);
    }
    schema.sort_all_objects();
    schema.to_string()
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    settings.into_generator()
}
