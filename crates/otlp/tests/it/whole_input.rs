//! The system prompt and all messages of requests, for options that ask for them.

use serde_json::{Value, json};
use silcrow_event::{Call, CallResult, Entry, Event, RunEventRef, RunOpening, Timestamp};
use silcrow_otlp::{AttributeValue, TraceOptions, TraceReader, TraceSpan};

/// Two runs. The first waits for the answer to a question and is continued.
fn log() -> Vec<Entry> {
    let call = Event::Call(Call::parse("a1", r#"{"name":"save","args":{}}"#).unwrap());
    let saved = Event::Result(CallResult::success("a1", "save", "saved", "4 files"));
    let events = [
        (1, Some("r1"), Event::user("Save.")),
        (1, None, call),
        (1, None, saved),
        (2, None, Event::respond("Saved.")),
        (3, Some("r2"), Event::user("Thanks.")),
        (3, None, Event::respond("You are welcome.")),
    ];
    let entries = events.into_iter().zip(1..).map(|((turn, run, event), seq)| {
        let opening =
            run.map(|run| RunOpening { conversation: "c".into(), run: run.into(), caller: None });
        let timestamp = Some(Timestamp::from_nanos(seq as i64 * 1_000_000_000));
        Entry { timestamp, turn: Some(turn), seq: Some(seq), opening, ..Entry::from(event) }
    });
    entries.collect()
}

fn options(has_whole_input: bool) -> TraceOptions {
    let mut options = TraceOptions::default();
    (options.has_contents, options.has_whole_input) = (true, has_whole_input);
    options.system = Some("Be brief.".to_owned());
    options
}

/// Returns the value of an attribute of each request, as JSON.
fn requests(spans: &[TraceSpan], name: &str) -> Vec<Value> {
    let chats = spans.iter().filter(|span| span.name.starts_with("chat"));
    let values = chats.filter_map(|span| match span.attribute(name) {
        Some(AttributeValue::Text(text)) => Some(serde_json::from_str(text).unwrap()),
        _ => None,
    });
    values.collect()
}

fn read(options: TraceOptions, before: &[Entry], log: &[Entry]) -> Vec<TraceSpan> {
    let mut reader = TraceReader::new("c", options).with_log(before);
    log.iter().for_each(|entry| reader.push(RunEventRef::Entry(entry)));
    reader.finish();
    reader.take_spans()
}

/// Returns the texts of messages, with their roles.
fn said(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap().iter().map(|message| {
        let part = &message["parts"][0];
        let text = ["content", "name", "response"].iter().find_map(|name| part[name].as_str());
        format!("{}: {}", message["role"].as_str().unwrap(), text.unwrap())
    });
    messages.collect()
}

const WHOLE: [&str; 5] =
    ["user: Save.", "assistant: save", "tool: 4 files", "assistant: Saved.", "user: Thanks."];

#[test]
fn request_spans_hold_new_or_complete_input() {
    let log = log();
    let new = requests(&read(options(false), &[], &log), "gen_ai.input.messages");
    assert_eq!(
        new.iter().map(said).collect::<Vec<_>>(),
        [["user: Save."], ["tool: 4 files"], ["user: Thanks."]]
    );
    let whole = requests(&read(options(true), &[], &log), "gen_ai.input.messages");
    assert_eq!(whole.iter().map(said).collect::<Vec<_>>(), [&WHOLE[..1], &WHOLE[..3], &WHOLE]);
}

#[test]
fn run_includes_messages_of_earlier_runs() {
    let log = log();
    let whole = requests(&read(options(true), &log[..4], &log[4..]), "gen_ai.input.messages");
    assert_eq!(whole.iter().map(said).collect::<Vec<_>>(), [WHOLE]);
    // A run that continues repeats the last turn, which must not appear twice.
    let whole = requests(&read(options(true), &log[..3], &log[1..4]), "gen_ai.input.messages");
    assert_eq!(whole.iter().map(said).collect::<Vec<_>>(), [&WHOLE[..1], &WHOLE[..3]]);
    let new = requests(&read(options(false), &log[..4], &log[4..]), "gen_ai.input.messages");
    assert_eq!(new.iter().map(said).collect::<Vec<_>>(), [["user: Thanks."]]);
}

#[test]
fn requests_with_contents_include_system_prompt() {
    let system = requests(&read(options(false), &[], &log()), "gen_ai.system_instructions");
    assert_eq!(system, vec![json!([{"type": "text", "content": "Be brief."}]); 3]);
    let mut hidden = options(true);
    hidden.has_contents = false;
    let spans = read(hidden, &[], &log());
    for name in ["gen_ai.system_instructions", "gen_ai.input.messages"] {
        assert_eq!(requests(&spans, name), [] as [Value; 0], "{name}");
    }
}
