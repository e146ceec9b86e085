use crate::{check, wrong};

#[test]
fn a_schema_that_is_itself_broken_is_a_failure_that_says_so() {
    let table = [
        ("{\"type\": object}", "the tool's own schema is not valid JSON (expected value at line 1"),
        (r#"{"type":"strnig"}"#, "the tool's own schema is not a JSON schema ("),
        (r#"{"properties":[]}"#, "the tool's own schema is not a JSON schema ("),
        (r#"{"required":"x"}"#, "the tool's own schema is not a JSON schema ("),
        (r#"{"pattern":"("}"#, "the tool's own schema is not a JSON schema ("),
        ("7", "the tool's own schema is not a JSON schema ("),
        (r##"{"$ref":"#/$defs/nowhere"}"##, "the tool's own schema is not a JSON schema ("),
    ];
    for (schema, expected) in table {
        let why = wrong(schema, "{}");
        assert!(why.starts_with(expected), "{schema}: {why}");
        assert!(why.ends_with("; no arguments can be right, so do without this tool"), "{why}");
    }
    assert_eq!(check("true", "{}"), Ok(()));
    assert_eq!(wrong("false", "{}"), "they must not be given");
}

#[test]
fn a_schema_that_refers_elsewhere_is_refused_and_nothing_is_fetched() {
    // Somebody who would answer, and would be seen to have been asked.
    let door = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    door.set_nonblocking(true).unwrap();
    let file = std::env::current_dir().unwrap().join("Cargo.toml");
    for elsewhere in [
        format!("http://{}/schema.json", door.local_addr().unwrap()),
        format!("file://{}", file.display()),
        "other.json".to_owned(),
    ] {
        let schema = format!(r#"{{"properties":{{"x":{{"$ref":"{elsewhere}"}}}}}}"#);
        let why = wrong(&schema, r#"{"x":1}"#);
        assert!(why.starts_with("the tool's own schema is not a JSON schema ("), "{why}");
        assert!(door.accept().is_err(), "nobody came");
    }
}

#[test]
fn a_schema_that_goes_in_circles_ends() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
        r##"{"properties":{"x":{"anyOf":[{"$ref":"#/properties/x"},{"type":"null"}]}}}"##,
    ] {
        let _ = check(schema, r#"{"x":{"x":1}}"#);
    }
}

#[test]
fn a_pattern_that_takes_for_ever_is_given_up() {
    let schema = r#"{"properties":{"x":{"pattern":"^(?=(a+)+$)(a|aa)+\\1b$"}}}"#;
    let args = format!(r#"{{"x":"{}"}}"#, "a".repeat(5000));
    assert!(check(schema, &args).is_err());
}
