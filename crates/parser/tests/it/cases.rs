//! The behaviour cases of the wire, in every chunking.

use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_parser::{Dialect, Options};
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
        let dialect = Dialect::parse(case["dialect"].as_str()?)?;
        let inline = case["flags"].as_array()?.contains(&json!("--inline"));
        (dialect != Dialect::Action).then(|| Case {
            id: case["id"].as_str().unwrap().to_owned(),
            options: Options { dialect, inline },
            wire: case["wire"].as_str().unwrap().to_owned(),
            expected: case["expected"].as_array().unwrap().iter().map(normal).collect(),
        })
    };
    all.iter().filter_map(case).collect()
}

/// What is compared of an event: its type, its trimmed text, its call as JSON values.
fn normal(event: &Value) -> Value {
    match event["type"].as_str().unwrap() {
        "call" => {
            let call: Value = serde_json::from_str(event["content"].as_str().unwrap()).unwrap();
            let args = match &call["args"] {
                Value::Null => json!({}),
                args => args.clone(),
            };
            json!({"type": "call", "name": call["name"], "args": args})
        }
        kind @ ("think" | "respond") => {
            json!({"type": kind, "content": event["content"].as_str().unwrap().trim()})
        }
        kind => json!({"type": kind}),
    }
}

fn compare(case: &Case, how: &str, joined: &Joined) {
    let events: Vec<Event> = joined.events();
    let got: Vec<Value> = events
        .iter()
        .map(|event| normal(&serde_json::from_str(&event.to_json()).unwrap()))
        .collect();
    assert_eq!(got, case.expected, "{} {how}: {:?}", case.id, case.wire);
}

#[test]
fn every_case_in_every_chunking() {
    let cases = cases();
    assert_eq!(cases.len(), 77);
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
