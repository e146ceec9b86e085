//! The import of cases that are written as JSON.

use serde_json::{Map, Value, json};

use crate::{Case, CaseFile, CaseSection};

/// Converts a JSON list of `{id, dialect, flags, wire, expected}`.
///
/// Each case is written, read again and compared with the list, so that nothing is lost.
///
/// # Errors
///
/// Returns a message with the id of the case that cannot be converted, and the reason.
pub fn import(json: &str) -> Result<CaseFile, String> {
    let list: Vec<Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let mut file = CaseFile::default();
    for given in &list {
        let id = given["id"].as_str().ok_or_else(|| format!("a case without an id: {given}"))?;
        let in_case = |why: String| format!("case `{id}`: {why}");
        let case = case(given).map_err(in_case)?;
        let again = CaseFile::read(&case.to_string()).map_err(|why| in_case(why.to_string()))?;
        let is_same = written(&again.cases[0]) == comparable(given);
        if again.cases != [case.clone()] || !is_same {
            return Err(in_case("the notation cannot say it".to_owned()));
        }
        file.cases.push(case);
    }
    // Reading all of them together finds an id that is there twice.
    CaseFile::read(&file.to_string()).map_err(|why| why.to_string())
}

fn case(given: &Value) -> Result<Case, String> {
    let text = |key: &str| given[key].as_str().ok_or_else(|| format!("`{key}` is not a string"));
    let list = |key: &str| given[key].as_array().ok_or_else(|| format!("`{key}` is not a list"));
    let mut header = vec![("dialect".to_owned(), text("dialect")?.to_owned())];
    let flags: Vec<_> = list("flags")?.iter().filter_map(Value::as_str).collect();
    if !flags.is_empty() {
        header.push(("flags".to_owned(), flags.join(" ")));
    }
    let sections = list("expected")?.iter().map(section).collect::<Result<_, _>>()?;
    Ok(Case { id: text("id")?.to_owned(), header, wire: text("wire")?.into(), sections })
}

fn section(event: &Value) -> Result<CaseSection, String> {
    let name = event["type"].as_str().ok_or("an event has no type")?.to_owned();
    if name != "call" {
        let text = event["content"].as_str().unwrap_or_default().into();
        return Ok(CaseSection { name, text, ..CaseSection::default() });
    }
    let text = match (&event["call"], &event["content"]) {
        (Value::Object(call), Value::Null) => call_text(call),
        (Value::Null, Value::String(text)) => text.clone(),
        _ => return Err("a call has either `call` or `content`".to_owned()),
    };
    let mut attributes: Vec<_> = event["action"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    attributes.sort_by_key(|(key, _)| match &**key {
        "type" => 0,
        "mode" => 1,
        _ => 2,
    });
    let subject = event["id"].as_str().map(str::to_owned);
    Ok(CaseSection { name, subject, attributes, text: (&*text).into() })
}

/// Returns the call as a model would write it, with its name first.
fn call_text(call: &Map<String, Value>) -> String {
    let members = ["name", "args"].into_iter().filter_map(|key| call.get_key_value(key));
    let others = call.iter().filter(|(key, _)| !matches!(&***key, "name" | "args"));
    let written: Vec<_> =
        members.chain(others).map(|(key, value)| format!("{}:{value}", json!(key))).collect();
    format!("{{{}}}", written.join(","))
}

/// Returns the case in the form of the list.
fn written(case: &Case) -> Value {
    let flags: Vec<_> = case.words("flags").collect();
    comparable(&json!({
        "id": case.id,
        "dialect": case.value("dialect"),
        "flags": flags,
        "wire": case.wire.as_str(),
        "expected": case.events(),
    }))
}

/// Returns a case with all calls as JSON values.
fn comparable(case: &Value) -> Value {
    let mut case = case.clone();
    for event in case["expected"].as_array_mut().into_iter().flatten() {
        if event["type"] != "call" {
            continue;
        }
        let call = event["content"].as_str().and_then(|text| serde_json::from_str(text).ok());
        if let (Some(call), Some(event)) = (call, event.as_object_mut()) {
            event.remove("content");
            event.insert("call".to_owned(), call);
        }
    }
    case
}
