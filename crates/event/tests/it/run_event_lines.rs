//! Events of a run, which are written as lines and read again.

use std::borrow::Cow;

use silcrow_event::{
    CallEnd, CallTextFragment, CallTransition, Entry, Event, Json, LogPosition, RunEventRef,
    TextFragment, TextKind, read_run_event,
};

#[test]
fn run_events_round_trip() {
    let places = [
        LogPosition::default(),
        LogPosition { timestamp: "1.5".parse().ok(), turn: Some(2), seq: Some(7) },
    ];
    let odd = "a \"quote\", a\nline, \u{202e} and § ";
    let kinds = [
        TextKind::Think,
        TextKind::Respond { last: true },
        TextKind::Respond { last: false },
        TextKind::Malformed,
    ];
    let id = || Cow::Borrowed("a1");
    let mut transitions = vec![
        CallTransition::Ready { id: id(), attempt: 2, args: r#"{"n":[1]}"#.into() },
        CallTransition::Started { id: id(), attempt: 1, args: "{}".into() },
        CallTransition::Recorded { id: id() },
        CallTransition::Paused { id: id() },
        CallTransition::Bound {
            name: "x".into(),
            value: Cow::Owned(Json::parse(r#"{"a": 1.0e3}"#).unwrap()),
        },
    ];
    for end in [CallEnd::Ok, CallEnd::Failed, CallEnd::Skipped, CallEnd::Cancelled] {
        let reason = (end != CallEnd::Ok).then(|| odd.into());
        transitions.push(CallTransition::Ended { id: id(), end, reason });
    }
    for place in places {
        for kind in kinds {
            let id = (kind == TextKind::Malformed).then_some("a1");
            let text = TextFragment { kind, part: 3, id, text: odd };
            check(RunEventRef::Text(text, place));
        }
        for text in ["{\"na", ""] {
            let id = text.is_empty().then_some("a1");
            check(RunEventRef::CallText(
                CallTextFragment { call: 1, id, name: Some("file"), text },
                place,
            ));
        }
        for transition in &transitions {
            check(RunEventRef::Call(transition, place));
        }
        for event in [Event::respond(odd), Event::user("go"), Event::Execute, Event::End] {
            let LogPosition { timestamp, turn, seq } = place;
            check(RunEventRef::Entry(&Entry { timestamp, turn, seq, ..event.into() }));
        }
    }
}

fn check(event: RunEventRef<'_>) {
    let line = event.to_line().unwrap();
    assert!(!line.contains('\n'), "{line}");
    assert_eq!(read_run_event(&line).unwrap(), event.to_owned(), "{line}");
}

#[test]
fn non_events_are_rejected() {
    for line in [
        "",
        "{}",
        r#"{"type":"paused"}"#,
        r#"{"type":"ended","id":"a","end":"x"}"#,
        r#"{"type":"call_text","content":""}"#,
        r#"{"type":"bound","name":"x"}"#,
        r#"{"type":"dances"}"#,
    ] {
        assert!(read_run_event(line).is_err(), "{line}");
    }
}
