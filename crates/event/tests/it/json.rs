//! Section 8 of the protocol: the JSON of events round-trips.

use std::time::Duration;

use proptest::prelude::*;
use silcrow_cases::CaseFile;
use silcrow_event::{
    ActionAttributes, BranchPoint, Call, CallResult, ConversationOrigin, Entry, Event, Json,
    Metric, Respond, ResultBatch, ResultStatus, RunOpening, SpanId, Timestamp, TraceContext,
    TraceId, TraceParent, Truncation, Usage, read_entry,
};

use crate::any_event::event;
use crate::line;
use crate::question::text;

fn entry() -> impl Strategy<Value = Entry> {
    let ids = (any::<[u8; 16]>(), any::<[u8; 8]>());
    let caller = (ids, any::<bool>()).prop_map(|((trace, span), is_recorded)| {
        let context = TraceId::from_bytes(trace).zip(SpanId::from_bytes(span));
        let context = context.map(|(trace, span)| TraceContext { trace, span });
        context.map(|context| TraceParent { context, is_recorded })
    });
    let caller = prop_oneof![Just(None), caller];
    let opening = (text(), text(), caller).prop_map(|(conversation, run, caller)| RunOpening {
        conversation,
        run,
        caller,
    });
    let origin = (any::<bool>(), text(), any::<u64>()).prop_map(|(is_fork, conversation, seq)| {
        let point = BranchPoint { conversation, seq };
        if is_fork { ConversationOrigin::Fork(point) } else { ConversationOrigin::Replay(point) }
    });
    (
        event(),
        prop::option::of(any::<i64>().prop_map(Timestamp::from_nanos)),
        prop::option::of(any::<u32>()),
        prop::option::of(any::<u64>()),
        prop::option::of(opening),
        prop::option::of(origin),
        prop::array::uniform3(prop::option::of(text())),
    )
        .prop_map(|(event, timestamp, turn, seq, opening, origin, names)| {
            let [agent_path, user, folder] = names;
            Entry { event, timestamp, turn, seq, opening, origin, agent_path, user, folder }
        })
}

proptest! {
    #[test]
    fn a_written_entry_is_read_back(entry in entry()) {
        let line = entry.to_json();
        prop_assert!(!line.contains('\n'), "{}", line);
        prop_assert!(line.starts_with("{\"type\":\""), "{}", line);
        prop_assert_eq!(read_entry(&line).unwrap(), entry);
    }

    #[test]
    fn a_string_agrees_with_serde_json(text in text()) {
        let quoted = Json::string(&text);
        prop_assert_eq!(serde_json::from_str::<String>(quoted.as_str()).unwrap(), text.clone());
        prop_assert_eq!(quoted.to_text(), text);
    }

    #[test]
    fn reading_never_panics(text in any::<String>(), field in "[a-z]{2,9}", value in any::<String>()) {
        line::event_json(text.as_bytes());
        let text = format!("{{\"type\":\"{field}\",\"content\":{}}}", Json::string(&value));
        line::event_json(text.as_bytes());
    }
}

/// The corpus has every line that once failed.
#[test]
fn corpus_lines_round_trip_or_fail() {
    let file = CaseFile::read(include_str!("../cases/lines.cases"));
    let cases = file.unwrap_or_else(|error| panic!("{error}")).cases;
    assert!(cases.len() > 10, "{} lines are too few", cases.len());
    for case in cases {
        line::event_json(case.wire.as_bytes());
    }
}

#[test]
fn hidden_characters_are_escaped() {
    let hostile = "\u{9b}31m\u{202e}\u{200b}\u{7f}\u{85}\u{2028}\u{feff}\u{e0041}👩\u{200d}👧";
    let line = Event::user(hostile).to_json();
    assert_eq!(
        line,
        r#"{"type":"user","content":"\u009b31m\u202e\u200b\u007f\u0085\u2028\ufeff\udb40\udc41👩‍👧"}"#
    );
    assert_eq!(read_entry(&line).unwrap().event, Event::user(hostile));
    let all: String =
        ('\0'..=char::MAX).filter(|&char| silcrow_sanitize::is_hidden(char)).collect();
    let line = Event::user(&all).to_json();
    assert!(line.is_ascii(), "{line}");
    assert_eq!(read_entry(&line).unwrap().event, Event::user(&all));
}

#[test]
fn event_json_is_stable() {
    let call = Call::parse("fetch1", r#"{"name":"get","args":{"u":"x"}}"#).unwrap();
    let action = ActionAttributes {
        depends_on: vec!["a".to_owned()],
        retry: Some(2),
        ..ActionAttributes::default()
    };
    let lines = [
        Event::Call(call.with_action(action)),
        Event::Result(CallResult::success("a1", "get", "1 page", "text")),
        Event::Result(
            CallResult::success("a1", "get", "1 page", "text")
                .with_notices(vec!["redirected".to_owned()])
                .with_truncation(
                    Truncation::default()
                        .with_omitted_bytes(8)
                        .with_full_output("spill:1-a1")
                        .with_tail("end"),
                ),
        ),
        Event::Result(CallResult::framework_failure("a1", Some("get"), "cancelled", "cancelled")),
        Event::Batch(ResultBatch::fold([
            &CallResult::success("a1", "get", "", "text"),
            &CallResult::failure("a2", None, "", "no"),
        ])),
        Event::Respond(Respond { last: false, ..Respond::new("b") }),
        Event::Metric(Metric::new(
            Usage {
                input: 2,
                output: 1,
                cached: 1,
                duration: Duration::from_millis(500),
                ..Usage::default()
            },
            Usage::default(),
        )),
        Event::Metric(Metric::new(
            Usage::default(),
            Usage {
                reasoning: 3,
                sent_bytes: 4,
                time_to_first_delta: Duration::from_millis(250),
                estimated: true,
                ..Usage::default()
            },
        )),
    ]
    .map(|event| event.to_json());
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"type":"call","id":"fetch1","content":"{\"name\":\"get\",\"args\":{\"u\":\"x\"}}","action":{"type":"tool","mode":"sync","depends_on":["a"],"retry":2}}
    {"type":"result","id":"a1","content":"text","payload":{"tool":"get","status":"success","outcome":"1 page","content":"text","error":false}}
    {"type":"result","id":"a1","content":"text","payload":{"tool":"get","status":"success","outcome":"1 page","content":"text","error":false,"notices":["redirected"],"truncated":{"omitted_bytes":8,"full_output":"spill:1-a1","tail":"end"}}}
    {"type":"result","id":"a1","content":"cancelled","payload":{"tool":"get","status":"failure","outcome":"cancelled","content":"cancelled","error":true,"origin":"framework"}}
    {"type":"result","content":"[{\"tool\":\"get\",\"status\":\"success\",\"content\":\"text\"},{\"tool\":null,\"status\":\"failure\",\"content\":\"no\"}]","payload":{"tools_executed":2,"success_count":1,"failure_count":1}}
    {"type":"respond","content":"b","final":false}
    {"type":"metric","step":{"input":2,"output":1,"cached":1,"duration":0.5},"total":{"input":0,"output":0,"cached":0,"duration":0.0}}
    {"type":"metric","step":{"input":0,"output":0,"cached":0,"duration":0.0},"total":{"input":0,"output":0,"cached":0,"duration":0.0,"reasoning":3,"sent":4,"first":0.25,"estimated":true}}
    "#);
}

#[test]
fn lines_of_other_programs_are_read() {
    let read = |line: &str| read_entry(line).unwrap().event;
    assert_eq!(read(r#"{"type":"metrics","total":{"input":1}}"#).type_name(), "metric");
    let Event::Result(result) = read(
        r#"{"type":"result","payload":{"outcome":"Found file","content":"x","error":false},"timestamp":1.0}"#,
    ) else {
        panic!()
    };
    assert_eq!((&*result.content.text(), result.status()), ("x", ResultStatus::Success));
    let Event::Result(result) =
        read(r#"{"type":"result","payload":{"outcome":"Gone","error":"no"}}"#)
    else {
        panic!()
    };
    assert_eq!((&*result.content.text(), result.status()), ("Gone", ResultStatus::Failure));
    for (line, why) in [
        ("", "not valid JSON"),
        ("[]", "not a JSON object"),
        ("{}", "`type` is missing"),
        (r#"{"type":1}"#, "`type` is not a string"),
        (r#"{"type":"nope"}"#, "not an event"),
        (r#"{"type":"user"}"#, "`content` is missing"),
        (r#"{"type":"call","content":"ls"}"#, "not a call"),
        (r#"{"type":"result"}"#, "neither"),
        (r#"{"type":"error","content":"","scope":"moon"}"#, "`scope` is `moon`"),
    ] {
        let error = read_entry(line).unwrap_err().to_string();
        assert!(error.contains(why), "{line}: {error}");
    }
}
