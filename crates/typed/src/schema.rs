use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The JSON schema of a struct: the same bytes in every build, and with everything in its place, as
/// models and simple validators follow references badly.
pub(crate) fn of<A: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    // The name of the struct, which is the programmer's business.
    schema.remove("title");
    let object = Value::from("object");
    let of = schema.ensure_object().entry("type").or_insert_with(|| object.clone());
    assert!(*of == object, "`{}` is not read from a JSON object but from {of}", A::schema_name());
    let mut schema = schema.to_value();
    // The JSON reader of this build may keep members in another order.
    schema.sort_all_objects();
    schema.to_string()
}
