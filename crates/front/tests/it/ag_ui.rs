//! Runs as events of AG-UI.

mod asked_again;
mod blocks;
mod called_agents;
mod laws;
mod request;
mod verifier;

use silcrow_event::{
    CallResult, CallTextFragment, Entry, Event, LogPosition, Progress, RunEvent, RunEventRef,
    TextFragment, TextKind,
};
use silcrow_front::{AgUiEncoder, AgUiRequest, RunEncoder as _, RunEnd, ag_ui_messages};

use crate::scenario::{self, Scenario};

/// Returns an encoder for a client of version 1.0, or for one before.
pub(crate) fn encoder(has_version: bool) -> AgUiEncoder {
    let version = if has_version { r#""protocolVersion":"1.0","# } else { "" };
    let request = format!(r#"{{"threadId":"talk","runId":"run",{version}"messages":[]}}"#);
    AgUiEncoder::new("talk", &AgUiRequest::parse(request.as_bytes()).unwrap())
}

/// Returns a line for each event: its type, and its other members without the time.
fn lines(written: &str) -> String {
    let mut lines = String::new();
    for event in written.split_terminator("\n\n") {
        let event = event.strip_prefix(r#"data: {"type":""#).unwrap();
        let (kind, rest) = event.split_once('"').unwrap();
        let rest = rest.trim_start_matches(',');
        let before_time = rest.split_once(r#","timestamp":"#).map(|(rest, _)| rest);
        let rest = before_time.or_else(|| rest.strip_suffix('}')).unwrap();
        lines += &format!("{kind} {rest}\n");
    }
    lines
}

#[test]
fn client_reads_complete_run() {
    for scenario in Scenario::all() {
        let written = scenario.encode(&mut encoder(true));
        insta::assert_snapshot!(scenario.name, lines(&written));
    }
}

#[test]
fn older_client_differs_only_in_stops() {
    for scenario in Scenario::all() {
        let new = lines(&scenario.encode(&mut encoder(true)));
        let old = lines(&scenario.encode(&mut encoder(false)));
        let (new, old): (Vec<_>, Vec<_>) = (new.lines().collect(), old.lines().collect());
        let (last, rest) = old.split_last().unwrap();
        assert_eq!(rest[1..], new[1..new.len() - 1], "{}", scenario.name);
        match scenario.end {
            RunEnd::Stopped => {
                insta::assert_snapshot!(last, @r#"RUN_ERROR "message":"The run was stopped.","code":"cancelled","metadata":{"silcrow":{"conversation":"talk","run":"r1"}}"#)
            }
            _ => assert_eq!(last, new.last().unwrap()),
        }
    }
}

#[test]
fn a_log_is_a_snapshot_of_the_messages() {
    for scenario in [scenario::parallel(), scenario::agent(), scenario::malformed()] {
        let log: Vec<_> = scenario.events.into_iter().filter_map(stored).collect();
        let messages = ag_ui_messages("talk", log.iter().map(|entry| (entry, None)));
        let lines = messages.replace("},{\"id\":", "}\n{\"id\":");
        insta::assert_snapshot!(format!("messages_{}", scenario.name), lines);
    }
}

/// The client has read everything up to a connection that was cut, and gets the rest.
#[test]
fn run_continues_after_known_entries() {
    let mut scenario = scenario::parallel();
    let cut = scenario.events.iter().position(|event| match event {
        RunEvent::Entry(entry) => matches!(entry.event, Event::Result(_)),
        _ => false,
    });
    let rest = scenario.events.split_off(cut.unwrap() + 1);
    scenario.known = scenario.events.into_iter().filter_map(stored).collect();
    scenario.events = rest;
    let written = scenario.encode(&mut encoder(true));
    insta::assert_snapshot!("continued_after_a_cut", lines(&written));
}

fn stored(event: RunEvent) -> Option<Entry> {
    match event {
        RunEvent::Entry(entry) if entry.event.is_stored() => Some(*entry),
        _ => None,
    }
}

/// A client that comes back to a run that waits gets the questions again.
#[test]
fn known_questions_are_asked_again() {
    let mut scenario = scenario::approval();
    let whole = scenario.encode(&mut encoder(true));
    scenario.known = std::mem::take(&mut scenario.events).into_iter().filter_map(stored).collect();
    let written = scenario.encode(&mut encoder(true));
    let outcome = |written: &str| written.split(r#""outcome":"#).nth(1).unwrap().len();
    assert!(outcome(&written) > 500 && written.contains(r#""id":"1/a1""#), "{written}");
    assert!(outcome(&whole) >= outcome(&written));
}

/// A client would take a call without a result for one that it has to run.
#[test]
fn incomplete_call_gets_a_result() {
    let (mut encoder, mut out) = (encoder(true), String::new());
    let place = LogPosition { turn: Some(1), seq: Some(1), timestamp: None };
    let text = r#"{"name":"file_read","args":{"pa"#;
    let piece = CallTextFragment { call: 1, id: None, name: Some("file_read"), text };
    encoder.encode(RunEventRef::CallText(piece, place), &mut out);
    let kind = TextKind::Respond { last: true };
    let text = TextFragment { kind, part: 1, id: None, text: "Four." };
    encoder.encode(RunEventRef::Text(text, LogPosition { turn: Some(2), ..place }), &mut out);
    encoder.end(&RunEnd::Answered, &mut out);
    insta::assert_snapshot!("incomplete_call", lines(&out));
}

#[test]
fn result_ends_an_incomplete_call() {
    let (mut encoder, mut out) = (encoder(true), String::new());
    let place = LogPosition { turn: Some(1), seq: Some(1), timestamp: None };
    let piece = CallTextFragment { call: 1, id: Some("a1"), name: Some("file_read"), text: "{" };
    encoder.begin(&mut out);
    encoder.encode(RunEventRef::CallText(piece, place), &mut out);
    let result = Event::Result(CallResult::framework_failure("a1", None, "cut", "cut off"));
    let entry = Entry { turn: Some(1), seq: Some(2), ..Entry::from(result) };
    encoder.encode(RunEventRef::Entry(&entry), &mut out);
    encoder.end(&RunEnd::Answered, &mut out);
    assert_eq!(verifier::verify(&out), Ok(()));
    assert_eq!(out.matches("TOOL_CALL_RESULT").count(), 1);
}

/// A client holds a bounded part of a call's output.
#[test]
fn client_holds_tail_of_printed_output() {
    let scenario = scenario::parallel();
    let (mut encoder, mut out) = (encoder(true), String::new());
    scenario.known.iter().for_each(|entry| encoder.skip(entry));
    let calls = scenario.events.into_iter().filter_map(stored).take(3);
    calls.for_each(|entry| encoder.skip(&entry));
    let mut print = |content: &str| {
        out.clear();
        let (id, channel, content) = ("a1".to_owned(), "stdout".to_owned(), content.to_owned());
        let progress = Event::Progress(Progress { id, channel, n: 0, content });
        let entry = Entry { turn: Some(1), ..Entry::from(progress) };
        encoder.encode(RunEventRef::Entry(&entry), &mut out);
        out.clone()
    };
    assert!(print("a").contains("ACTIVITY_SNAPSHOT"));
    assert!(!print("b").contains("remove"));
    // A piece that is too long takes the place of all others, and keeps whole characters.
    let long = print(&"é".repeat(8_193));
    assert_eq!(long.matches(r#"{"op":"remove","path":"/output/0"}"#).count(), 2);
    assert_eq!(long.matches('é').count(), 8_192);
    assert_eq!(print("c").matches("remove").count(), 1);
}
