use crate::{check, wrong};

#[test]
fn broken_schema_is_a_reported_failure() {
    let why = wrong(r#"{"type":"strnig"}"#, "{}");
    assert!(why.starts_with("the tool's own schema is not a JSON schema ("), "{why}");
    assert!(why.ends_with("; no arguments can be right, so do without this tool"), "{why}");
    let table = [
        (r#"{"type": object}"#, "not valid JSON"),
        (r#"{"properties":[]}"#, "not a JSON schema"),
        (r#"{"required":"x"}"#, "not a JSON schema"),
        (r#"{"pattern":"("}"#, "not a JSON schema"),
        ("7", "not a JSON schema"),
        (r##"{"$ref":"#/$defs/nowhere"}"##, "not a JSON schema"),
    ];
    for (schema, expected) in table {
        let why = wrong(schema, "{}");
        assert!(why.contains(expected), "{schema}: {why}");
    }
    assert_eq!(check("true", "{}"), Ok(()));
    assert_eq!(wrong("false", "{}"), "they must not be given");
}

#[test]
fn remote_schema_references_are_refused_without_fetching() {
    // A server that would answer, so that a request to it would be noticed.
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
        assert!(why.contains("not a JSON schema"), "{why}");
        let came = door.accept().map(|_| ()).map_err(|error| error.kind());
        assert_eq!(came, Err(std::io::ErrorKind::WouldBlock), "nobody came");
    }
}

#[test]
fn circular_schema_terminates() {
    let nested = r#"{"x":{"x":1}}"#;
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
        r##"{"properties":{"x":{"anyOf":[{"$ref":"#/properties/x"},{"type":"null"}]}}}"##,
    ] {
        assert_eq!(check(schema, nested), Ok(()), "{schema}");
    }
    // A schema that refers to itself for members applies at every depth.
    let schema = r##"{"type":"object","additionalProperties":{"$ref":"#"}}"##;
    assert_eq!(check(schema, r#"{"x":{"x":{}}}"#), Ok(()));
    let why = wrong(schema, nested);
    assert!(why.contains("must be an object") && why.contains("`x.x`"), "{why}");
}

#[test]
fn catastrophic_patterns_are_abandoned() {
    let schema = r#"{"properties":{"x":{"pattern":"^(?=(a+)+$)(a|aa)+\\1b$"}}}"#;
    let args = |len: usize| format!(r#"{{"x":"{}"}}"#, "a".repeat(len));
    // A short text does not match; with a long one, that is not found out.
    let why = wrong(schema, &args(3));
    assert!(why.starts_with("`x` must be a string that matches"), "{why}");
    let why = wrong(schema, &args(5000));
    assert!(why.starts_with("`x` must be right by the schema's `pattern`"), "{why}");
}
