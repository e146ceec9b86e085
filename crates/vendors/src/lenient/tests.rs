use serde::Deserialize;

use super::{LenientField, LenientObject};

#[derive(Debug, Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    field: LenientField<'a>,
    #[serde(borrow)]
    object: LenientObject<Inner<'a>>,
}

#[derive(Debug, Deserialize)]
struct Inner<'a> {
    #[serde(borrow)]
    field: LenientField<'a>,
}

/// Any JSON in the place of a value.
const ODD: [&str; 13] = [
    "null",
    "true",
    "false",
    "0",
    "0.0",
    "-1.5",
    "123456789012345678901234567890",
    "\"\"",
    "\"a\\n\"",
    "[]",
    "[{\"field\":1},[2]]",
    "{}",
    "{\"x\":{\"y\":[null]}}",
];

fn event(json: &str) -> Event<'_> {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

#[test]
fn odd_values_affect_only_themselves() {
    for odd in ODD {
        let json = format!(r#"{{"field":{odd},"object":{odd}}}"#);
        let read = event(&json);
        assert_eq!(read.object.0.is_some(), odd.starts_with('{'), "{odd}");
        assert_eq!(read.field.json(), if odd == "null" { "" } else { odd });
        let inner = format!(r#"{{"object":{{"field":{odd}}}}}"#);
        assert_eq!(event(&inner).object.0.unwrap().field.json(), read.field.json());
    }
    assert_eq!(event(r#"{"field":1e400}"#).field.json(), "1e400");
    // A string that is not read may contain an invalid character.
    assert!(event(r#"{"field":"\ud83d"}"#).field.word().is_none());
    let missing = event("{}");
    assert!(missing.object.0.is_none() && missing.field.json().is_empty());
    assert!(serde_json::from_str::<Event<'_>>(r#"{"field":}"#).is_err());
}

#[test]
fn values_are_read_leniently() {
    let read = |json: &str, with: &dyn Fn(LenientField<'_>) -> String| {
        with(event(&format!(r#"{{"field":{json}}}"#)).field)
    };
    let text = |field: LenientField<'_>| {
        let mut joiner = crate::text::SurrogateJoiner::default();
        field.text().map_or_else(|| "-".to_owned(), |piece| joiner.push(&piece))
    };
    for (json, expected) in [
        ("\"a§\\n\"", "a§\n"),
        ("\"\"", ""),
        ("12", "12"),
        ("-0.5", "-0.5"),
        ("{}", "-"),
        ("true", "-"),
    ] {
        assert_eq!(read(json, &text), expected);
    }
    let word = |field: LenientField<'_>| field.word().map_or_else(|| "-".to_owned(), Into::into);
    for (json, expected) in
        [("\"stop\"", "stop"), ("\"\\u0061\"", "a"), ("\"\"", "-"), ("1", "-"), ("null", "-")]
    {
        assert_eq!(read(json, &word), expected);
    }
    let set = |field: LenientField<'_>| field.is_set().to_string();
    for (json, expected) in [
        ("null", false),
        ("false", false),
        ("0", false),
        ("\"\"", false),
        ("{ }", false),
        ("[]", false),
        ("true", true),
        ("\"x\"", true),
        ("{\"message\":1}", true),
        ("500", true),
    ] {
        assert_eq!(read(json, &set), expected.to_string(), "{json}");
    }
    let zero = |field: LenientField<'_>| field.is_beyond_zero().to_string();
    for (json, expected) in
        [("0", false), ("0.0", false), ("-0", false), ("\"1\"", false), ("1", true), ("1.0", true)]
    {
        assert_eq!(read(json, &zero), expected.to_string(), "{json}");
    }
    let count = |field: LenientField<'_>| format!("{:?}", field.count());
    for (json, expected) in [
        ("12", "Some(12)"),
        ("12.0", "Some(12)"),
        ("-1", "None"),
        ("1.5", "None"),
        ("\"1\"", "None"),
    ] {
        assert_eq!(read(json, &count), expected);
    }
    let items = |field: LenientField<'_>| {
        field.items().into_iter().map(LenientField::json).collect::<Vec<_>>().join(" ")
    };
    for (json, expected) in [("[1, {}, \"a\"]", "1 {} \"a\""), ("\"a\"", "\"a\""), ("null", "")] {
        assert_eq!(read(json, &items), expected);
    }
}
