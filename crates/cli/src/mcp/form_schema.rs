//! The schema of the answer to a server's question, for front ends that show forms.

use serde_json::{Map, Value, json};
use silcrow_mcp::Elicitation;

/// Returns the schema of the answer to a question.
pub(crate) fn form_schema(question: &Elicitation) -> Value {
    let fields = &question.fields;
    let required: Vec<_> =
        fields.iter().filter(|field| field.is_required).map(|field| &*field.name).collect();
    let properties = fields.iter().map(|field| (field.name.clone(), field.schema.clone()));
    let properties: Map<_, _> = properties.collect();
    json!({"type": "object", "properties": properties, "required": required})
}
