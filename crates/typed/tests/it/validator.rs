use silcrow_tool::Validator as _;
use silcrow_typed::SchemaValidator;

use crate::{check, wrong};

#[test]
fn errors_name_field_expected_and_got() {
    let table = [
        // One keyword each: the schema of `x`, its value, the message.
        (r#"{"type":"string"}"#, "7", "a string, but is the number `7`"),
        (r#"{"type":["string","null"]}"#, "7", "a string or null, but is the number `7`"),
        (r#"{"enum":["a","b"]}"#, "null", r#"one of "a", "b", but is null"#),
        (r#"{"const":"a"}"#, "true", r#""a", but is the boolean `true`"#),
        (r#"{"minimum":1}"#, "0", "at least 1, but is the number `0`"),
        (r#"{"maximum":1.5}"#, "2", "at most 1.5, but is the number `2`"),
        (r#"{"exclusiveMinimum":1}"#, "1", "more than 1, but is the number `1`"),
        (r#"{"exclusiveMaximum":1}"#, "1", "less than 1, but is the number `1`"),
        (r#"{"multipleOf":5}"#, "7", "a multiple of 5, but is the number `7`"),
        (r#"{"minLength":2}"#, r#""é""#, "at least 2 characters long, but is the string `\"é\"`"),
        (r#"{"maxLength":1}"#, r#""éé""#, "at most 1 characters long, but is the string `\"éé\"`"),
        (
            r#"{"pattern":"^a+$"}"#,
            r#""b""#,
            "a string that matches `^a+$`, but is the string `\"b\"`",
        ),
        (r#"{"minItems":1}"#, "[]", "an array of at least 1 items, but is the array `[]`"),
        (r#"{"maxItems":1}"#, "[1,2]", "an array of at most 1 items, but is the array `[1,2]`"),
        (
            r#"{"uniqueItems":true}"#,
            "[1,1]",
            "an array whose items differ, but is the array `[1,1]`",
        ),
        (r#"{"minProperties":1}"#, "{}", "an object of at least 1 members, but is the object `{}`"),
        (
            r#"{"maxProperties":0}"#,
            r#"{"a":1}"#,
            "an object of at most 0 members, but is the object `{\"a\":1}`",
        ),
        (r#"{"not":{"type":"null"}}"#, "null", "right by the schema's `not`, but is null"),
        (
            r#"{"contains":{"const":1}}"#,
            "[2]",
            "right by the schema's `contains`, but is the array `[2]`",
        ),
        (
            r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
            "7",
            "a string or null, but is the number `7`",
        ),
        (
            r#"{"anyOf":[{"maxLength":1},{"maxLength":2}]}"#,
            r#""abc""#,
            "of one of the forms that the schema allows, but is the string `\"abc\"`",
        ),
        (
            r#"{"oneOf":[{"const":"a"},{"const":"b"}]}"#,
            r#""c""#,
            r#"one of "a", "b", but is the string `"c"`"#,
        ),
        (
            r#"{"oneOf":[{"type":"integer"},{"minimum":0}]}"#,
            "1",
            "of exactly one of the forms that the schema allows, but is the number `1`",
        ),
    ];
    for (schema, value, expected) in table {
        let schema = format!(r#"{{"properties":{{"x":{schema}}}}}"#);
        let args = format!(r#"{{"x":{value}}}"#);
        assert_eq!(wrong(&schema, &args), format!("`x` must be {expected}"), "{schema}");
    }
    assert_eq!(wrong(r#"{"properties":{"x":false}}"#, r#"{"x":1}"#), "`x` must not be given");
    let unevaluated = r#"{"properties":{"a":{}},"unevaluatedProperties":false}"#;
    assert_eq!(wrong(unevaluated, r#"{"a":1,"x":1}"#), "`x` must not be given");
}

#[test]
fn only_the_intended_variant_is_reported() {
    let schema = r#"{"properties":{"from":{"anyOf":[
        {"type":"object","properties":{"line":{"type":"integer"}},"required":["line"]},
        {"type":"null"}
    ]}}}"#;
    assert_eq!(check(schema, r#"{"from":null}"#), Ok(()));
    assert_eq!(wrong(schema, r#"{"from":{}}"#), "`from.line` is missing, expected an integer");
    assert_eq!(
        wrong(schema, r#"{"from":{"line":"x"}}"#),
        r#"`from.line` must be an integer, but is the string `"x"`"#,
    );
}

#[test]
fn ambiguous_values_are_reported_as_such() {
    let schema = r#"{"properties":{"x":{"oneOf":[
        {"type":"object","properties":{"a":{"const":1}},"required":["a"]},
        {"type":"object","properties":{"b":{"const":2}},"required":["b"]}
    ]}}}"#;
    let forms = "of one of the forms that the schema allows";
    assert_eq!(
        wrong(schema, r#"{"x":{"a":0,"b":0}}"#),
        format!(r#"`x` must be {forms}, but is the object `{{"a":0,"b":0}}`"#),
    );
    assert_eq!(
        wrong(schema, r#"{"x":{}}"#),
        format!("`x` must be {forms}, but is the object `{{}}`"),
    );
    assert_eq!(wrong(schema, r#"{"x":1}"#), "`x` must be an object, but is the number `1`");
}

#[test]
fn very_long_arguments_report_one_error() {
    let schema = r#"{"properties":{"x":{"items":{"type":"string"}}}}"#;
    let args = |count| format!(r#"{{"x":[{}0]}}"#, "0,".repeat(count));
    let one = "`x[0]` must be a string, but is the number `0`";
    assert_eq!(wrong(schema, &args(1_000_000)), one);
    let ten = wrong(schema, &args(1000));
    assert!(ten.starts_with(one) && ten.ends_with("; and 991 more"), "{ten}");
    let fits = format!(r#"{{"x":["{}"]}}"#, "y".repeat(1 << 20));
    assert_eq!(check(schema, &fits), Ok(()));
}

#[test]
fn fields_are_named_by_path_through_references() {
    let schema = r##"{"properties":{"a":{"items":{"$ref":"#/$defs/place"}}},
        "$defs":{"place":{"type":"object","properties":{"b/c":{"type":["string","null"]}},
            "required":["b/c"],"additionalProperties":false}}}"##;
    assert_eq!(
        wrong(schema, r#"{"a":[{"b/c":null},{"x":1}]}"#),
        "`a[1].x` is unknown, expected only `b/c`; \
         `a[1].b/c` is missing, expected a string or null",
    );
    assert_eq!(
        wrong(schema, r#"{"a":[{"b/c":7}]}"#),
        "`a[0].b/c` must be a string or null, but is the number `7`",
    );
}

#[test]
fn ten_errors_are_listed_and_others_counted() {
    let members = |numbers: &mut dyn Iterator<Item = u32>| {
        let members: Vec<_> = numbers.map(|n| format!(r#""x{n}":{n}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let schema = r#"{"additionalProperties":{"type":"string"}}"#;
    let told = wrong(schema, &members(&mut (10..99)));
    assert!(told.starts_with("`x10` must be a string, but is the number `10`; `x11`"), "{told}");
    assert!(told.ends_with("; and 79 more"), "{told}");
    assert_eq!(told.matches("must be").count(), 10);
    assert_eq!(wrong(schema, &members(&mut (10..99).rev())), told);
}

#[test]
fn arguments_are_a_json_object() {
    assert_eq!(wrong("{}", "[1]"), "they must be an object, but are the array `[1]`");
    assert!(wrong("{}", "{\"a\":").starts_with("the arguments are not valid JSON: "));
}

#[test]
fn more_schemas_than_are_kept_still_hold() {
    let schemas = SchemaValidator::new();
    for round in 0..2 {
        for n in 0..300 {
            let schema = format!(r#"{{"properties":{{"x":{{"const":{n}}}}}}}"#);
            assert_eq!(schemas.check(&schema, &format!(r#"{{"x":{n}}}"#)), Ok(()), "{round}");
            assert!(schemas.check(&schema, r#"{"x":"y"}"#).is_err(), "{round}");
        }
    }
    // 600 schemas were compiled one after another, and the cache was emptied twice.
    assert_eq!(format!("{schemas:?}"), "SchemaValidator { compiled: 88 }");
}
