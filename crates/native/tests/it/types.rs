//! The table of types of bare text.

use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_native::ToolSchemas;

use crate::reading::{Joined, Setup};

/// Returns the value of a text under the schema of its parameter.
fn typed(schema: Value, text: &str) -> String {
    let defs = json!({"n": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}});
    let schema = json!({"type": "object", "properties": {"x": schema}, "$defs": defs});
    let mut setup = Setup::new("minimax_m2".parse().unwrap());
    setup.tools = Arc::new(ToolSchemas::new().with_tool("f", schema));
    let text = format!(
        "<minimax:tool_call><invoke name=\"f\"><parameter name=\"x\">{text}</parameter></invoke></minimax:tool_call>"
    );
    let read = setup.check(&text, 1);
    let args = read.iter().find_map(|one| match one {
        Joined::Call(_, args, _) => Some(args.clone()),
        _ => None,
    });
    let args = args.expect("there is a call");
    args.strip_prefix("{\"x\":").and_then(|args| args.strip_suffix('}')).unwrap().to_owned()
}

#[test]
fn bare_text_gets_the_type_of_its_schema() {
    let of = |name: &str| json!({"type": name});
    let rows = [
        (of("string"), "null", r#""null""#),
        (of("string"), " 1 ", r#"" 1 ""#),
        (of("integer"), " 42 ", "42"),
        (of("integer"), "3.0", "3"),
        (of("integer"), "1_000", "1000"),
        (of("integer"), "12345678901234567890123", "12345678901234567890123"),
        (of("integer"), "3.5", r#""3.5""#),
        (of("integer"), "007", r#""007""#),
        (of("integer"), "-0", "-0"),
        (of("number"), "1e5", "1e5"),
        (of("number"), "1e400", r#""1e400""#),
        (of("number"), "NaN", r#""NaN""#),
        (of("boolean"), "TRUE", "true"),
        (of("boolean"), "1", r#""1""#),
        (of("null"), "None", "null"),
        (of("object"), "", "{}"),
        (of("array"), "", "[]"),
        (of("object"), "{\"a\": 1}", r#"{"a": 1}"#),
        (of("object"), "[1]", r#""[1]""#),
        (of("array"), "[1,", r#""[1,""#),
        (json!({"type": ["string", "null"]}), "null", "null"),
        (json!({"type": ["string", "integer"]}), "7", "7"),
        (json!({"type": ["string", "integer"]}), "7 days", r#""7 days""#),
        (json!({"anyOf": [{"type": "boolean"}, {"type": "string"}]}), "False", "false"),
        (json!({"enum": ["1", 2]}), "1", r#""1""#),
        (json!({"enum": ["1", 2]}), "2", "2"),
        (json!({"$ref": "#/$defs/n"}), "5", "5"),
        (json!({"$ref": "#/$defs/loop"}), "5", r#""5""#),
        (json!({}), "null", r#""null""#),
        (json!({"description": "anything"}), "5", r#""5""#),
    ];
    for (schema, text, expected) in rows {
        assert_eq!(typed(schema.clone(), text), expected, "{schema} of {text:?}");
    }
}
