//! Control blocks and their items as steps, and one interrupt for the items of a loop.

use silcrow_event::{Entry, Event, Parked, RunEventRef, read_entry};
use silcrow_front::{AgUiDecision, AgUiRequest, RunEncoder as _, RunEnd};

use super::verifier::verify;
use super::{encoder, lines};
use crate::scenario::parked;

/// The log of a turn with a loop over two items in a parallel block.
const LOG: [&str; 13] = [
    r#"{"type":"user","content":"Tell them."}"#,
    r#"{"type":"block","part":"begin","id":"p","block":"parallel"}"#,
    r#"{"type":"call","id":"a","content":"{\"name\":\"look\",\"args\":{}}","action":{"type":"tool","mode":"async"}}"#,
    r#"{"type":"block","part":"begin","id":"each","block":"foreach","in":"['x','y']","as":"n"}"#,
    r#"{"type":"block","part":"call","id":"s","content":"{\"name\":\"mail\",\"args\":{\"to\":\"$n\"}}","action":{"type":"tool","mode":"async"}}"#,
    r#"{"type":"call","id":"each[0].s","content":"{\"name\":\"mail\",\"args\":{\"to\":\"x\"}}","action":{"type":"tool","mode":"async"},"instance":true}"#,
    r#"{"type":"call","id":"each[1].s","content":"{\"name\":\"mail\",\"args\":{\"to\":\"y\"}}","action":{"type":"tool","mode":"async"},"instance":true}"#,
    r#"{"type":"block","part":"end","id":"each"}"#,
    r#"{"type":"block","part":"end","id":"p"}"#,
    r#"{"type":"result","id":"each[1].s","content":"sent","payload":{"tool":"mail","status":"success","outcome":"","content":"sent"}}"#,
    r#"{"type":"result","id":"each[0].s","content":"sent","payload":{"tool":"mail","status":"success","outcome":"","content":"sent"}}"#,
    r#"{"type":"result","id":"each","content":"[]","payload":{"tool":"foreach","status":"success","outcome":"2 items","content":"[]"}}"#,
    r#"{"type":"result","id":"a","content":"seen","payload":{"tool":"look","status":"success","outcome":"","content":"seen"}}"#,
];

fn log() -> Vec<Entry> {
    let entries = LOG.iter().zip(1..).map(|(line, seq)| {
        let entry = read_entry(line).unwrap();
        Entry { seq: Some(seq), turn: Some(1), ..entry }
    });
    entries.collect()
}

#[test]
fn blocks_and_items_are_steps_naming_calls() {
    let (mut encoder, mut out) = (encoder(true), String::new());
    encoder.begin(&mut out);
    log().iter().for_each(|entry| encoder.encode(RunEventRef::Entry(entry), &mut out));
    encoder.end(&RunEnd::Answered, &mut out);
    assert_eq!(verify(&out), Ok(()));
    let shown = lines(&out);
    let shown: Vec<_> = shown
        .lines()
        .filter(|line| line.starts_with("STEP") || line.starts_with("TOOL_CALL_END"))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn stream_starting_within_block_stays_balanced() {
    for known in 0..=LOG.len() {
        let (mut encoder, mut out) = (encoder(true), String::new());
        let log = log();
        log[..known].iter().for_each(|entry| encoder.skip(entry));
        encoder.begin(&mut out);
        for entry in &log[known..] {
            encoder.encode(RunEventRef::Entry(entry), &mut out);
        }
        encoder.end(&RunEnd::Answered, &mut out);
        assert_eq!(verify(&out), Ok(()), "{known}");
    }
}

#[test]
fn questions_about_loop_items_are_one_interrupt() {
    let log = log();
    let questions = ["each[0].s", "each[1].s", "each[2].s"].map(|id| {
        let mut question = parked().questions.remove(0);
        (question.id, question.item_of) = (id.to_owned(), Some("each[].s".to_owned()));
        question
    });
    let parked = Event::Parked(Parked {
        wire: String::new(),
        dialect: "action".to_owned(),
        inline: false,
        families: Vec::new(),
        root: String::new(),
        questions: questions.into(),
        inside: Vec::new(),
    });
    let parked = Entry { seq: Some(10), turn: Some(1), ..Entry::from(parked) };
    let (mut encoder, mut out) = (encoder(true), String::new());
    encoder.begin(&mut out);
    // The loop has not come to the third item.
    for entry in log[..9].iter().chain([&parked]) {
        encoder.encode(RunEventRef::Entry(entry), &mut out);
    }
    encoder.end(&RunEnd::Waiting, &mut out);
    assert_eq!(verify(&out), Ok(()));
    let end = out.lines().rfind(|line| line.starts_with("data: ")).unwrap();
    let end: serde_json::Value = serde_json::from_str(&end["data: ".len()..]).unwrap();
    let interrupts = end["outcome"]["interrupts"].as_array().unwrap();
    assert_eq!(interrupts.len(), 1, "{end}");
    let items = &interrupts[0]["responseSchema"]["properties"]["items"]["items"]["enum"];
    assert_eq!(items.to_string(), r#"["1/each[0].s","1/each[1].s","1/each[2].s"]"#);
    let message = interrupts[0]["message"].as_str().unwrap();
    assert!(message.starts_with("Allow 3 calls of file_write in a loop?"), "{message}");
}

#[test]
fn an_answer_may_allow_some_items() {
    let read = |payload: &str| {
        let body = format!(
            r#"{{"threadId":"t","runId":"r","messages":[],"resume":[{{"interruptId":"1/a","status":"resolved","payload":{payload}}}]}}"#
        );
        AgUiRequest::parse(body.as_bytes()).map(|request| request.answers[0].decision.clone())
    };
    let some = AgUiDecision::Items(vec!["1/b".to_owned()], Some("too many".to_owned()));
    let given = read(r#"{"approved":true,"items":["1/b"],"reason":"too many"}"#);
    assert_eq!(given.unwrap(), some);
    assert_eq!(read(r#"{"approved":false,"items":["1/b"]}"#).unwrap(), AgUiDecision::Denied(None));
    assert!(read(r#"{"approved":true,"items":[1]}"#).is_err());
}
