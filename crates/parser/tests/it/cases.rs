//! The behaviour cases of the wire, in every chunking.

use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_parser::Options;
use silcrow_testkit::{Joined, by_bytes, by_chars, random_bytes};

use crate::parse::{parse, parse_bytes};

struct Case {
    id: String,
    options: Options,
    wire: String,
    expected: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let all: Vec<Value> = serde_json::from_str(include_str!("../cases/parse.json")).unwrap();
    let case = |case: &Value| {
        let dialect = case["dialect"].as_str().unwrap().parse().unwrap();
        let inline = case["flags"].as_array().unwrap().contains(&json!("--inline"));
        Case {
            id: case["id"].as_str().unwrap().to_owned(),
            options: Options::new(dialect).with_inline(inline),
            wire: case["wire"].as_str().unwrap().to_owned(),
            expected: case["expected"].as_array().unwrap().iter().map(normal).collect(),
        }
    };
    all.iter().map(case).collect()
}

/// What is compared of an event: its type, its trimmed text, its call as JSON values, and of its id
/// and action what there is.
fn normal(event: &Value) -> Value {
    let mut normal = json!({"type": event["type"]});
    match event["type"].as_str().unwrap() {
        "call" => {
            let content = event["content"].as_str().map(|text| serde_json::from_str(text).unwrap());
            let call: Value = content.unwrap_or_else(|| event["call"].clone());
            normal["name"] = call["name"].clone();
            normal["args"] = match &call["args"] {
                Value::Null => json!({}),
                args => args.clone(),
            };
            normal["id"] = event["id"].clone();
            normal["action"] = event["action"].clone();
            if let Some(Value::Array(ids)) = normal["action"].get_mut("depends_on") {
                ids.sort_by_key(Value::to_string);
            }
        }
        "think" | "respond" => {
            normal["content"] = json!(event["content"].as_str().unwrap().trim());
        }
        _ => {}
    }
    normal
}

/// Takes away what the case leaves free of a call.
fn free(call: &mut Value, expected: &Value) {
    if expected["id"].is_null() {
        call["id"] = Value::Null;
    }
    match (&mut call["action"], &expected["action"]) {
        (Value::Object(got), Value::Object(named)) => {
            got.retain(|field, _| named.contains_key(field));
        }
        (got, _) => *got = Value::Null,
    }
}

fn compare(case: &Case, how: &str, joined: &Joined) {
    let event = |event: &Event| normal(&serde_json::from_str(&event.to_json()).unwrap());
    let mut got: Vec<Value> = joined.events().iter().map(event).collect();
    for (got, expected) in got.iter_mut().zip(&case.expected) {
        if got["type"] == "call" {
            free(got, expected);
        }
    }
    assert_eq!(got, case.expected, "{} {how}: {:?}", case.id, case.wire);
}

#[test]
fn every_case_in_every_chunking() {
    let cases = cases();
    assert_eq!(cases.len(), 106);
    for case in &cases {
        let whole = parse([&*case.wire], case.options);
        compare(case, "whole", &whole);
        let by = |how: &str, joined: Joined| {
            assert_eq!(joined, whole, "{} {how}: {:?}", case.id, case.wire);
        };
        by("by 4 bytes", parse_bytes(by_bytes(&case.wire, 4), case.options));
        by("by characters", parse(by_chars(&case.wire), case.options));
        by("by bytes", parse_bytes(by_bytes(&case.wire, 1), case.options));
        for seed in 0..20 {
            let pieces = random_bytes(&case.wire, seed);
            by(&format!("by random cuts {seed}"), parse_bytes(pieces, case.options));
        }
    }
}
