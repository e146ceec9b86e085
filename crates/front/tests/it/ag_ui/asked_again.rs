//! Answers that do not count, because the model was asked again.

use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_front::{AgUiEncoder, AgUiRequest, RunEnd, ag_ui_messages};

use super::verifier::verify;
use crate::run_writer::RunWriter;
use crate::scenario::{Scenario, draft};

/// Returns the events of a run.
fn events(written: &str) -> Vec<Value> {
    verify(written).unwrap();
    let events = written.split_terminator("\n\n");
    events.map(|event| serde_json::from_str(&event["data: ".len()..]).unwrap()).collect()
}

/// Returns the messages that a client has after a run: its earlier messages and the messages of
/// events, which the last snapshot replaces.
fn shown(before: &[Value], written: &str) -> Vec<Value> {
    let mut messages = before.to_vec();
    for event in events(written) {
        let id = &event["messageId"];
        match event["type"].as_str().unwrap() {
            "MESSAGES_SNAPSHOT" => messages = event["messages"].as_array().unwrap().clone(),
            "TEXT_MESSAGE_START" => {
                messages.push(json!({"id": id, "role": "assistant", "content": ""}));
            }
            "TEXT_MESSAGE_CONTENT" => {
                let message = messages.iter_mut().rfind(|message| message["id"] == *id).unwrap();
                let content = message["content"].as_str().unwrap().to_owned();
                message["content"] = json!(content + event["delta"].as_str().unwrap());
            }
            _ => {}
        }
    }
    messages
}

fn encoder(messages: &Value) -> AgUiEncoder {
    let body = json!({"threadId": "talk", "runId": "run", "messages": messages}).to_string();
    AgUiEncoder::new("talk", &AgUiRequest::parse(body.as_bytes()).unwrap())
}

fn texts(messages: &[Value]) -> Vec<&str> {
    messages.iter().filter_map(|message| message["content"].as_str()).collect()
}

#[test]
fn only_the_draft_is_replaced() {
    let asked = json!({"id": "m1", "role": "user", "content": "Test and deploy."});
    let written = draft().encode(&mut encoder(&json!([asked])));
    let snapshot = events(&written);
    let snapshot = snapshot.iter().find(|event| event["type"] == "MESSAGES_SNAPSHOT").unwrap();
    let kept = texts(snapshot["messages"].as_array().unwrap());
    assert_eq!(kept, ["Test and deploy.", "3 tests failed"]);
    let all = shown(std::slice::from_ref(&asked), &written);
    assert_eq!(all.iter().filter(|message| message["id"] == "c1-1").count(), 1);
    assert_eq!(texts(&all), ["Test and deploy.", "3 tests failed", "The tests fail."]);
    // A client that reads the log sees the same, with the id that it has given.
    let log = draft().stored();
    let stored = ag_ui_messages("talk", log.iter().map(|entry| (entry, Some("m1"))));
    let stored: Vec<Value> = serde_json::from_str(&stored).unwrap();
    assert_eq!(texts(&stored), texts(&all));
}

/// Returns the stream of a run that continues a cut one, for a client with these messages.
fn continued(messages: &Value) -> String {
    let mut cut = RunWriter::begin("How many?", None);
    cut.set_turn(1);
    cut.answer("Seven");
    cut.store(Event::Cancelled { content: "the server is about to stop".to_owned() });
    let known = Scenario { name: "cut", known: vec![], events: cut.events, end: RunEnd::Stopped };
    let mut run = RunWriter::resume(8, None);
    run.set_turn(2);
    run.answer("Seventeen.");
    let (known, events) = (known.stored(), run.events);
    let scenario = Scenario { name: "continued", known, events, end: RunEnd::Answered };
    scenario.encode(&mut encoder(messages))
}

#[test]
fn truncated_answer_of_earlier_run_is_replaced() {
    let messages = json!([
        {"id": "m1", "role": "user", "content": "How many?"},
        {"id": "r1", "role": "reasoning", "content": "Let me count."},
        {"id": "t1-1", "role": "assistant", "content": "Seven"},
    ]);
    let written = continued(&messages);
    let all = shown(messages.as_array().unwrap(), &written);
    assert_eq!(texts(&all), ["How many?", "Let me count.", "Seventeen."]);
}

#[test]
fn client_sending_only_new_messages_keeps_history() {
    let earlier = json!([
        {"id": "m0", "role": "user", "content": "Hello."},
        {"id": "m1", "role": "user", "content": "Test and deploy."},
    ]);
    let encoder = encoder(&json!([earlier[1]]));
    let written = draft().encode(&mut encoder.with_messages(&earlier.to_string()));
    let all = shown(earlier.as_array().unwrap(), &written);
    assert_eq!(all[0]["content"], "Hello.");
    assert_eq!(texts(&all).last(), Some(&"The tests fail."));
}
