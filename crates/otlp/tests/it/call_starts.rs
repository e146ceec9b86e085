//! When calls begin: at their first attempt, or when a person has allowed them.

use silcrow_event::{
    Approval, ApprovalState, Call, CallResult, CallTransition, Entry, Event, Grants, LogPosition,
    RunEventRef, Timestamp,
};
use silcrow_otlp::{AttributeValue, TraceOptions, TraceReader, TraceSpan};

fn at(second: i64) -> Option<Timestamp> {
    Some(Timestamp::from_nanos(second * 1_000_000_000))
}

fn entry(event: Event, second: i64) -> Entry {
    Entry { timestamp: at(second), turn: Some(1), ..Entry::from(event) }
}

fn call_span(between: impl FnOnce(&mut TraceReader)) -> TraceSpan {
    let mut reader = TraceReader::new("c", TraceOptions::default());
    let call = Call::parse("a1", r#"{"name":"save","args":{}}"#).unwrap();
    for entry in [entry(Event::user("Save."), 1), entry(Event::Call(call), 2)] {
        reader.push(RunEventRef::Entry(&entry));
    }
    between(&mut reader);
    let result = CallResult::success("a1", "save", "saved", "saved");
    reader.push(RunEventRef::Entry(&entry(Event::Result(result), 9)));
    let mut spans = reader.take_spans().into_iter();
    spans.find(|span| span.name == "execute_tool save").unwrap()
}

fn start(reader: &mut TraceReader, attempt: u32, second: i64) {
    let place = LogPosition { timestamp: at(second), turn: Some(1), seq: Some(2) };
    let started = CallTransition::Started { id: "a1".into(), attempt, args: "{}".into() };
    reader.push(RunEventRef::Call(&started, place));
}

#[test]
fn a_call_begins_with_its_first_attempt() {
    let span = call_span(|reader| {
        start(reader, 1, 4);
        start(reader, 2, 6);
    });
    assert_eq!((span.start, span.end), (at(4).unwrap(), at(9).unwrap()));
    assert_eq!(span.attribute("silcrow.call.attempts"), Some(&AttributeValue::Integer(2)));
}

#[test]
fn logged_call_span_starts_at_its_entry() {
    assert_eq!(call_span(|_| {}).start, at(2).unwrap());
}

#[test]
fn call_spans_exclude_approval_time() {
    let span = call_span(|reader| {
        let answer = Approval {
            id: "a1".to_owned(),
            state: ApprovalState::Allowed,
            args_sha256: None,
            target: None,
            risk: None,
            scope: None,
            grants: Grants::none(),
            reason: None,
        };
        reader.push(RunEventRef::Entry(&entry(Event::Approval(answer), 7)));
    });
    assert_eq!(span.start, at(7).unwrap());
}

#[test]
fn a_recorded_result_is_marked() {
    let span = call_span(|reader| {
        let place = LogPosition { timestamp: at(8), turn: Some(1), seq: Some(2) };
        let recorded = CallTransition::Recorded { id: "a1".into() };
        reader.push(RunEventRef::Call(&recorded, place));
    });
    assert_eq!(span.attribute("silcrow.call.recorded"), Some(&AttributeValue::Switch(true)));
}
