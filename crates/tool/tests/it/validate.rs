use silcrow_tool::{BasicValidator, Validator as _};

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "file": {"type": "string", "description": "not looked at"},
        "lines": {"type": "integer"},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "tags": {"type": "array"},
        "order": {"type": "string", "enum": ["up", "down"]},
        "limit": {"type": ["integer", "null"]},
        "from": {"type": "object", "properties": {"line": {"type": "integer"}},
                 "required": ["line"], "additionalProperties": false},
        "any": {},
        "open": {"type": "object", "additionalProperties": {"type": "string"}}
    },
    "required": ["file"],
    "additionalProperties": false
}"#;

#[test]
fn what_fits_passes() {
    for args in [
        r#"{"file":""}"#,
        r#"{"file":"a","lines":-3,"ratio":2,"deep":true,"tags":[1,"x"],"order":"up"}"#,
        r#"{"file":"a","lines":1.0}"#,
        r#"{"file":"a","lines":18446744073709551615}"#,
        r#"{"file":"a","limit":null}"#,
        r#"{"file":"a","limit":4}"#,
        r#"{"file":"a","from":{"line":1}}"#,
        r#"{"file":"a","any":[{"x":null}]}"#,
        r#"{"file":"a","open":{"x":"y"}}"#,
    ] {
        assert_eq!(BasicValidator.check(SCHEMA, args), Ok(()), "{args}");
    }
}

#[test]
fn misfits_name_field_expected_and_got() {
    let table = [
        (r#"{}"#, "`file` is missing, expected a string"),
        (r#"{"file":7}"#, "`file` must be a string, but is the number `7`"),
        (r#"{"file":null}"#, "`file` must be a string, but is null"),
        (
            r#"{"file":"a","lines":"ten"}"#,
            r#"`lines` must be an integer, but is the string `"ten"`"#,
        ),
        (r#"{"file":"a","lines":1.5}"#, "`lines` must be an integer, but is the number `1.5`"),
        (r#"{"file":"a","ratio":true}"#, "`ratio` must be a number, but is the boolean `true`"),
        (r#"{"file":"a","deep":1}"#, "`deep` must be a boolean, but is the number `1`"),
        (r#"{"file":"a","tags":{}}"#, "`tags` must be an array, but is the object `{}`"),
        (
            r#"{"file":"a","order":"left"}"#,
            r#"`order` must be one of "up", "down", but is the string `"left"`"#,
        ),
        (
            r#"{"file":"a","limit":"x"}"#,
            r#"`limit` must be an integer or null, but is the string `"x"`"#,
        ),
        (r#"{"file":"a","from":{}}"#, "`from.line` is missing, expected an integer"),
        (r#"{"file":"a","from":{"line":1,"x":2}}"#, "`from.x` is unknown, expected only `line`"),
        (r#"{"file":"a","open":{"x":1}}"#, "`open.x` must be a string, but is the number `1`"),
        (
            r#"{"lines":[]}"#,
            "`file` is missing, expected a string; \
             `lines` must be an integer, but is the array `[]`",
        ),
    ];
    for (args, expected) in table {
        let why = BasicValidator.check(SCHEMA, args).unwrap_err().to_string();
        assert_eq!(why, format!("the arguments do not fit: {expected}"), "{args}");
    }
}

#[test]
fn unknown_argument_is_refused_with_known_ones() {
    let why = BasicValidator.check(SCHEMA, r#"{"file":"a","fiel":"b"}"#).unwrap_err().to_string();
    assert!(why.contains("`fiel` is unknown, expected only `any`, `deep`, `file`,"), "{why}");
    let none = r#"{"type":"object","additionalProperties":false}"#;
    let why = BasicValidator.check(none, r#"{"x":1}"#).unwrap_err().to_string();
    assert_eq!(why, "the arguments do not fit: `x` is unknown, expected no arguments");
    assert_eq!(BasicValidator.check(r#"{"type":"object"}"#, r#"{"x":1}"#), Ok(()));
}

#[test]
fn arguments_are_an_object() {
    for (args, is) in [("[]", "the array `[]`"), ("null", "null"), ("\"x\"", "the string `\"x\"`")]
    {
        let why = BasicValidator.check("{}", args).unwrap_err().to_string();
        assert_eq!(why, format!("the arguments do not fit: they must be an object, but are {is}"));
    }
    let why = BasicValidator.check("{}", "{\"a\":").unwrap_err().to_string();
    assert!(why.starts_with("the arguments are not valid JSON: "), "{why}");
}

#[test]
fn long_values_and_error_lists_are_cut() {
    let args = format!(r#"{{"file":["{}"]}}"#, "é".repeat(10_000));
    let why = BasicValidator.check(SCHEMA, &args).unwrap_err().to_string();
    assert!(why.len() < 300 && why.ends_with("…`"), "{why}");

    let members: Vec<_> = (0..1_000).map(|n| format!(r#""x{n}":0"#)).collect();
    let args = format!(r#"{{"file":"a",{}}}"#, members.join(","));
    let why = BasicValidator.check(SCHEMA, &args).unwrap_err().to_string();
    assert!(why.ends_with("; and 990 more"), "{why}");
}

#[test]
fn odd_schemas_do_not_panic() {
    for schema in [
        "true",
        "7",
        "null",
        "[]",
        r#"{"type":7,"properties":[],"required":"x","additionalProperties":3,"enum":{}}"#,
        r#"{"type":[],"required":[1,null],"properties":{"a":5}}"#,
    ] {
        assert_eq!(BasicValidator.check(schema, r#"{"a":1}"#), Ok(()), "{schema}");
    }
    let why = BasicValidator.check("false", r#"{"a":1}"#).unwrap_err().to_string();
    assert_eq!(why, "the arguments do not fit: they must not be given");
    assert!(BasicValidator.check(r#"{"type":"strnig"}"#, "{}").is_err());
}
