//! Tests of the reader: the events of texts, wherever they are cut.

use proptest::prelude::*;
use serde_json::Value;
use silcrow_reading::{FormReader, ReadEvent, ReaderOptions, WireForm, write_events};
use silcrow_testkit::{by_bytes, random_bytes, wire_text};

/// Reads a text in pieces, and returns the JSON of all events.
fn read(form: &str, chunks: bool, pieces: &[&[u8]]) -> Vec<Value> {
    let mut options = ReaderOptions::new(WireForm::named(form).unwrap());
    options.chunks = chunks;
    let mut events = Vec::new();
    let mut take = |event: ReadEvent<'_>| {
        events.push(serde_json::from_str(&event.to_json()).unwrap());
    };
    let mut reader = FormReader::new(options);
    for piece in pieces {
        reader.push(piece, &mut take);
    }
    reader.finish(&mut take);
    events
}

/// Joins neighbours that are pieces of one part.
fn joined(events: Vec<Value>) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for event in events {
        match all.last_mut() {
            Some(last) if is_text(last) && is_text(&event) && last["part"] == event["part"] => {
                let text = format!("{}{}", text(last), text(&event));
                last["content"] = Value::String(text);
            }
            _ => all.push(event),
        }
    }
    all
}

fn is_text(event: &Value) -> bool {
    event["content"].is_string()
}

fn text(event: &Value) -> &str {
    event["content"].as_str().unwrap()
}

#[test]
fn invalid_utf8_is_reported() {
    let events = read("sigil", false, &[b"a\xff", b"b"]);
    assert_eq!(events[0]["code"], "invalid_utf8");
    assert_eq!(events[0]["at"], 1);
    assert_eq!(events[1]["content"], "a\u{fffd}b");
}

#[test]
fn unusable_options_are_named() {
    let why = |json: &str| ReaderOptions::parse(json).unwrap_err().to_string();
    assert_eq!(why("[]"), "the options are not a JSON object");
    assert!(why(r#"{"form": "hermes,hermse"}"#).starts_with("`hermse` is neither"));
    assert!(why(r#"{"model": "gpt-2"}"#).contains("`gpt-2` is not known"));
    let sigil = silcrow_parser::Dialect::Sigil;
    let why = write_events(sigil, "{\"type\":\"end\"}\n{}").unwrap_err().to_string();
    assert!(why.starts_with("event 2: "), "{why}");
}

proptest! {
    /// L-1 for each form, in pieces and whole.
    #[test]
    fn events_are_independent_of_chunking(
        text in prop_oneof![wire_text(), native_text()],
        form in prop_oneof![Just("sigil"), Just("phase"), Just("action"), Just("hermes"), Just("harmony,mistral")],
        seed: u64,
    ) {
        let whole = read(form, false, &[text.as_bytes()]);
        for pieces in [by_bytes(&text, 1), by_bytes(&text, 4), random_bytes(&text, seed)] {
            prop_assert_eq!(&read(form, false, &pieces), &whole);
            let chunks = joined(read(form, true, &pieces));
            prop_assert_eq!(&chunks, &joined(read(form, true, &[text.as_bytes()])));
        }
    }
}

/// Texts with marks of native forms.
fn native_text() -> impl Strategy<Value = String> {
    let parts = [
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "{\"name\": \"ls\", \"arguments\": {",
        "}}",
        "é",
        "\n",
        "word ",
        "[TOOL_CALLS]",
        "[{\"name\": \"a\", \"arguments\": {}}]",
        "<|channel|>analysis",
        "<|message|>",
        "<|end|>",
        "`",
    ];
    proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..12)
        .prop_map(|parts| parts.concat())
}
