//! Arguments that fit the schemas of their tools, and similar ones that do not.

use silcrow_grammar::{Dialect, GrammarTool};

use crate::agreement::Both;

const NESTED: &str = r##"{
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "depth": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["r", "w", 7, null]},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "at": {"$ref": "#/$defs/point"},
        "tree": {"$ref": "#/$defs/tree"},
        "free": {},
        "limit": {"anyOf": [{"type": "number"}, {"type": "integer"}, {"type": "null"}]},
        "name": {"type": ["string", "null"], "maxLength": 5},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
        "on": {"type": "boolean"}
    },
    "required": ["path", "on"],
    "additionalProperties": false,
    "$defs": {
        "point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        "tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}}
    }
}"##;

const ACCEPTED: [&str; 14] = [
    r#"{"path": "a", "on": true}"#,
    r#"{"path":"\u00e9 {","on":false}"#,
    r#"{"path": "", "depth": -12, "on": true}"#,
    r#"{"path": "a", "mode": "w", "on": true}"#,
    r#"{"path": "a", "mode": 7, "on": true}"#,
    r#"{"path": "a", "mode": null, "on": true}"#,
    r#"{"path": "a", "tags": ["a", "b"], "on": true}"#,
    r#"{"path": "a", "at": {"x": 1.5e3}, "on": true}"#,
    r#"{"path": "a", "tree": {"next": {"next": {}}}, "on": true}"#,
    r#"{"path": "a", "free": [{"any": [1, "b"]}], "on": true}"#,
    r#"{"path": "a", "limit": 1.5, "name": "long enough", "on": true}"#,
    r#"{"path": "a", "limit": null, "name": null, "on": true}"#,
    r#"{"path": "a", "env": {"K": "v", "k": 1}, "on": true}"#,
    "{\n  \"path\": \"a\",\n  \"tags\": [\n    \"b\"\n  ],\n  \"on\": true\n}",
];

const REJECTED: [&str; 15] = [
    "{}",
    r#"{"path": "a"}"#,
    r#"{"on": true}"#,
    r#"{"on": true, "path": "a"}"#,
    r#"{"path": "a", "on": "true"}"#,
    r#"{"path": 1, "on": true}"#,
    r#"{"path": "a", "depth": 1.5, "on": true}"#,
    r#"{"path": "a", "mode": "x", "on": true}"#,
    r#"{"path": "a", "tags": [], "on": true}"#,
    r#"{"path": "a", "tags": ["a", 1], "on": true}"#,
    r#"{"path": "a", "at": {}, "on": true}"#,
    r#"{"path": "a", "at": {"x": 1, "y": 2}, "on": true}"#,
    r#"{"path": "a", "limit": "1", "on": true}"#,
    r#"{"path": "a", "on": true, "more": 1}"#,
    r#"{"path": "a", "path": "b", "on": true}"#,
];

fn wire(dialect: Dialect, name: &str, args: &str) -> String {
    match dialect {
        Dialect::Sigil => {
            format!("§call: {{\"name\": \"{name}\", \"args\": {args}}}\n§execute")
        }
        Dialect::Phase => {
            format!("<execute>\n[{{\"name\": \"{name}\", \"args\": {args}}}]\n</execute>")
        }
        Dialect::Action => format!(
            "<action type=\"tool\" mode=\"sync\" id=\"a\">\n{{\"name\": \"{name}\", \"parameters\": {args}}}\n</action>"
        ),
    }
}

#[test]
fn arguments_fit_the_schema_of_their_own_tool() {
    let tools = [
        GrammarTool::new("nested").with_schema(NESTED),
        GrammarTool::new("none").with_schema(r#"{"type":"object","properties":{}}"#),
        GrammarTool::new("any"),
        GrammarTool::new("odd").with_schema("no JSON"),
    ];
    for dialect in Dialect::ALL {
        let both = &mut Both::of_tools(dialect, &tools);
        for args in ACCEPTED {
            assert!(both.accept(&wire(dialect, "nested", args)), "{dialect:?} rejects {args}");
        }
        for args in REJECTED {
            assert!(!both.accept(&wire(dialect, "nested", args)), "{dialect:?} accepts {args}");
        }
        for (name, args, is_accepted) in [
            ("none", "{}", true),
            ("none", r#"{"a": 1}"#, false),
            ("any", r#"{"a": [1, {"b": null}]}"#, true),
            ("odd", r#"{"a": 1}"#, true),
            ("odd", "[]", false),
            ("other", "{}", false),
        ] {
            let text = wire(dialect, name, args);
            assert_eq!(both.accept(&text), is_accepted, "{dialect:?}: {name} {args}");
        }
        let named = r#"{"path": "a", "depth": "$count", "tags": "$list", "on": "$yes"}"#;
        let text = wire(dialect, "nested", named);
        assert_eq!(both.accept(&text), dialect == Dialect::Action, "{dialect:?}");
    }
}
