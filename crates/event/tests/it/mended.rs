//! JSON as models write it.

use proptest::prelude::*;
use serde_json::Value;
use silcrow_event::mend_json;

#[test]
fn unambiguous_body_is_mended() {
    for (written, meant) in [
        ("{'a': 'b'}", r#"{"a":"b"}"#),
        ("{“a”: “b”, ‘c’: ‘d’}", r#"{"a":"b","c":"d"}"#),
        (r#"{'a': 'say "hi"'}"#, r#"{"a":"say \"hi\""}"#),
        (r"{'a': 'it\'s'}", r#"{"a":"it's"}"#),
        ("{a_b: 1, $c: [2, 3,],}", r#"{"a_b":1,"$c":[2,3]}"#),
        ("{\"a\": 1\n \"b\": 2}", r#"{"a":1,"b":2}"#),
        ("{\"a\"： 1， \"b\": 2}", r#"{"a":1,"b":2}"#),
        ("{\"a\": True, \"b\": None, \"c\": [False]}", r#"{"a":true,"b":null,"c":[false]}"#),
        (
            "{\"a\": .5, \"b\": +3, \"c\": 2., \"d\": -.25e2}",
            r#"{"a":0.5,"b":3,"c":2,"d":-0.25e2}"#,
        ),
        ("{\"a\": 1, // one\n \"b\": /* two */ 2} # end", r#"{"a":1,"b":2}"#),
        ("{&quot;a&quot;: &quot;x &amp;&amp; y&quot;}", r#"{"a":"x && y"}"#),
        ("{\"a\": \"one\ntwo\t\u{1}\"}", r#"{"a":"one\ntwo\t\u0001"}"#),
        (r#"{"a": "\d+\.rs"}"#, r#"{"a":"\\d+\\.rs"}"#),
        (r#"{"a": "C:\dir\x"}"#, r#"{"a":"C:\\dir\\x"}"#),
        ("\u{feff}{\u{a0}a: 1}", r#"{"a":1}"#),
        ("{\u{a0}\"a\":\u{3000}1\u{a0}}", r#"{"a":1}"#),
        ("{'url': 'http://x.y/#z'}", r#"{"url":"http://x.y/#z"}"#),
        ("{a: {b: [{c: 'd'}]}}", r#"{"a":{"b":[{"c":"d"}]}}"#),
    ] {
        let mended = mend_json(written).unwrap_or_else(|| panic!("{written} is not mended"));
        assert_eq!(mended.json, meant, "{written}");
        serde_json::from_str::<Value>(&mended.json).unwrap();
    }
}

#[test]
fn ambiguous_body_is_left_alone() {
    for written in [
        // Where does the string end?
        "{'a': 'it's'}",
        r#"{"a": "say "hi" now"}"#,
        "{'a': 'b' c'}",
        // Which of the backslashes escapes something?
        r#"{"a": "C:\dir\new"}"#,
        r#"{"a": "\u12"}"#,
        // Octal, hexadecimal, a name, or nothing?
        "{a: 007}",
        "{a: 0x1F}",
        "{a: 1_000}",
        "{a: yes}",
        "{a: undefined}",
        "{a: NaN}",
        "{a: 1,, b: 2}",
        "{a b: 1}",
        "{a: }",
        "{: 1}",
        "{1: 2}",
        // Something is missing.
        "{a: 1",
        "{a: 'b}",
        "{a: 1} /* open",
        "{a: 1} b",
        "[1,]",
        "'a'",
        "",
        // It is JSON.
        "{}",
        "\u{feff}{\"a\": 1}\u{a0}",
        r#"{"a": "b"}"#,
    ] {
        assert_eq!(mend_json(written), None, "{written}");
    }
}

#[test]
fn the_depth_is_bounded() {
    let nested = |depth| format!("{}1{}", "{a:".repeat(depth), "}".repeat(depth));
    assert!(mend_json(&nested(128)).is_some());
    assert_eq!(mend_json(&nested(129)), None);
    assert_eq!(mend_json(&"{a:[".repeat(100_000)), None);
}

/// Values with text that needs care.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z \"'\\\\/#,:{}\\[\\]\n\té“]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4)
                .prop_map(|map| Value::from(serde_json::Map::from_iter(map))),
        ]
    })
}

/// Writes a value as Python would, with single quotes.
fn python(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                python(item, out);
                out.push_str(", ");
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (key, item) in map {
                quote(key, out);
                out.push_str(": ");
                python(item, out);
                out.push_str(", ");
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('\'');
    for char in text.chars() {
        match char {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            char => out.push(char),
        }
    }
    out.push('\'');
}

proptest! {
    #[test]
    fn objects_as_python_writes_them_mean_the_same(map in prop::collection::btree_map("[a-z]{1,4}", value(), 1..4)) {
        let meant = Value::from(serde_json::Map::from_iter(map));
        let mut written = String::new();
        python(&meant, &mut written);
        let mended = mend_json(&written);
        prop_assert!(mended.is_some(), "{}", written);
        prop_assert_eq!(serde_json::from_str::<Value>(&mended.unwrap().json).unwrap(), meant);
    }

    #[test]
    fn valid_json_is_never_repaired(map in prop::collection::btree_map("[a-z]{0,4}", value(), 0..4)) {
        let json = Value::from(serde_json::Map::from_iter(map));
        prop_assert_eq!(mend_json(&json.to_string()), None);
        prop_assert_eq!(mend_json(&format!("{json:#}")), None);
    }

    #[test]
    fn repaired_text_is_json(text in "\\{[a-c'\"“”:,\\[\\]{}0-9.+ \n\\\\#/TrueNone]{0,40}\\}") {
        if let Some(mended) = mend_json(&text) {
            prop_assert!(serde_json::from_str::<Value>(&mended.json).is_ok(), "{}", mended.json);
            prop_assert_eq!(mend_json(&mended.json), None);
        }
    }
}
