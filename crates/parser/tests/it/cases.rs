//! The behaviour cases of the wire, in every chunking.

use serde_json::{Value, json};
use silcrow_cases::{Case, CaseFile};
use silcrow_event::Event;
use silcrow_parser::Options;
use silcrow_testkit::{Joined, by_bytes, by_chars, random_bytes};

use crate::parse::{parse, parse_bytes};

fn cases() -> Vec<Case> {
    read(include_str!("../cases/parse.cases"))
}

/// Reads a file of cases.
pub(crate) fn read(file: &str) -> Vec<Case> {
    CaseFile::read(file).unwrap_or_else(|error| panic!("{error}")).cases
}

/// Returns the options that the header of a case names.
pub(crate) fn options(case: &Case) -> Options {
    let dialect = case.value("dialect").and_then(|name| name.parse().ok());
    let dialect = dialect.unwrap_or_else(|| panic!("{} names no dialect", case.id));
    let inline = case.words("flags").any(|flag| flag == "--inline");
    Options::new(dialect).with_inline(inline)
}

/// Returns the compared parts of an event: its type, its trimmed text, its call as JSON values, and
/// its id and action.
fn normal(event: &Value) -> Value {
    let mut normal = json!({"type": event["type"]});
    match event["type"].as_str().unwrap() {
        "call" => {
            let call: Value = serde_json::from_str(event["content"].as_str().unwrap()).unwrap();
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

/// Removes the parts of a call that the case does not name.
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
    let expected: Vec<Value> = case.events().iter().map(normal).collect();
    let event = |event: &Event| normal(&serde_json::from_str(&event.to_json()).unwrap());
    let mut got: Vec<Value> = joined.events().iter().map(event).collect();
    for (got, expected) in got.iter_mut().zip(&expected) {
        if got["type"] == "call" {
            free(got, expected);
        }
    }
    assert_eq!(got, expected, "{} {how}: {:?}", case.id, case.wire);
}

#[test]
fn every_case_in_every_chunking() {
    let cases = cases();
    assert_eq!(cases.len(), 106);
    for case in &cases {
        let options = options(case);
        let wire = case.wire.as_str().unwrap();
        let whole = parse([wire], options);
        compare(case, "whole", &whole);
        let by = |how: &str, joined: Joined| {
            assert_eq!(joined, whole, "{} {how}: {wire:?}", case.id);
        };
        by("by 4 bytes", parse_bytes(by_bytes(wire, 4), options));
        by("by characters", parse(by_chars(wire), options));
        by("by bytes", parse_bytes(by_bytes(wire, 1), options));
        for seed in 0..20 {
            by(&format!("by random cuts {seed}"), parse_bytes(random_bytes(wire, seed), options));
        }
    }
}
