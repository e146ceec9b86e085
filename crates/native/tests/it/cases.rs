//! Cases of every family, from public test suites and of our own. Their folder has a page about
//! their format.

use std::fs;
use std::sync::Arc;

use serde_json::Value;
use silcrow_native::ToolSchemas;

use crate::reading::{Joined, Setup};

/// A text, and its meaning.
#[derive(Debug)]
pub(crate) struct NativeCase {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) setup: Setup,
    pub(crate) value: Value,
}

#[test]
fn cases_parse_alike_under_any_chunking() {
    let mut wrong = Vec::new();
    let cases = cases();
    for case in &cases {
        let seed = case.text.len() as u64;
        let read = case.setup.check(&case.text, seed);
        let found = differences(case, &read);
        if !found.is_empty() {
            wrong.push(format!("{}: {found:?}\n  {:?}\n  {read:?}", case.id, case.text));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(cases.len() > 400);
}

/// Returns all cases.
pub(crate) fn cases() -> Vec<NativeCase> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder).expect("there are cases").flatten().collect();
    files.sort_by_key(|file| file.path());
    files.retain(|file| file.path().extension().is_some_and(|extension| extension == "json"));
    let read = |file: &fs::DirEntry| -> Vec<NativeCase> {
        let text = fs::read_to_string(file.path()).expect("a file is read");
        let values: Vec<Value> = serde_json::from_str(&text).expect("a file is JSON");
        values.into_iter().map(case).collect()
    };
    files.iter().flat_map(read).collect()
}

fn case(value: Value) -> NativeCase {
    let family = value["family"].as_str().unwrap_or_default().parse().expect("a family is known");
    let mut setup = Setup::new(family);
    setup.in_thought = value["starts_in_thought"] == true;
    let tools = value["tools"].as_array().into_iter().flatten();
    let tools = tools.fold(ToolSchemas::new(), |all, tool| {
        all.with_tool(tool["name"].as_str().unwrap_or_default(), tool["parameters"].clone())
    });
    setup.tools = Arc::new(tools);
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    NativeCase { id: text("id"), text: text("text"), setup, value }
}

fn differences(case: &NativeCase, read: &[Joined]) -> Vec<String> {
    let expected = &case.value["expect"];
    let is_exact = case.value["exact"] == true;
    let shown = |text: &str| {
        if is_exact { text.to_owned() } else { text.split_whitespace().collect() }
    };
    let mut found = Vec::new();
    let mut compare = |what: &str, text: String| {
        let wanted = expected[what].as_str().unwrap_or_default();
        if shown(&text) != shown(wanted) {
            found.push(format!("{what} {text:?} instead of {wanted:?}"));
        }
    };
    let thoughts = read.iter().filter_map(|one| match one {
        Joined::Thought(text) => Some(text.as_str()),
        _ => None,
    });
    compare("thought", thoughts.collect());
    let answers = read.iter().filter_map(|one| match one {
        Joined::Answer(text) => Some(text.as_str()),
        _ => None,
    });
    compare("answer", answers.collect());
    let calls: Vec<(&str, Value, &str)> = read
        .iter()
        .filter_map(|one| match one {
            Joined::Call(name, args, id) => Some((
                name.as_str(),
                serde_json::from_str(args).expect("arguments are JSON"),
                id.as_str(),
            )),
            _ => None,
        })
        .collect();
    let wanted: Vec<Value> = expected["calls"].as_array().cloned().unwrap_or_default();
    let is_same = |((name, args, id), call): (&(&str, Value, &str), &Value)| {
        let has_id = call["id"].as_str().is_none_or(|wanted| wanted == *id);
        call["name"] == *name && has_id && equal(args, &call["arguments"])
    };
    if calls.len() != wanted.len() || !calls.iter().zip(&wanted).all(is_same) {
        found.push(format!("calls {calls:?} instead of {wanted:?}"));
    }
    found
}

/// Returns whether two values are equal, where 1 is also 1.0.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| equal(value, other))
            };
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}
