//! The text of a tool's description for a model.

use serde_json::{Deserializer, Value};
use silcrow_tool::Tool;

/// Returns the arguments of the example calls at the end of a description.
pub(crate) fn examples(tool: &impl Tool) -> Vec<String> {
    let (_, shown) = tool.description().split_once("Example").unwrap();
    let mut rest = &shown[shown.find('{').unwrap()..];
    let mut examples = Vec::new();
    while rest.starts_with('{') {
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        examples.push(values.next().unwrap().unwrap().to_string());
        rest = rest[values.byte_offset()..].trim_start_matches(", ");
    }
    examples
}
