//! Section 8 of the protocol: the JSON of events round-trips.

use std::time::Duration;

use proptest::prelude::*;
use silcrow_cases::CaseFile;
use silcrow_event::{
    ActionAttributes, Approval, ApprovalState, BranchPoint, Call, CallChanges, CallKind, CallMode,
    CallResult, ContextSummary, ConversationOrigin, DeltaKind, Entry, ErrorEvent, ErrorOrigin,
    Event, FileDelta, Json, KeptOutput, Metric, OnError, Parked, Progress, Respond, ResultBatch,
    ResultStatus, RunOpening, SpanId, SummaryAuthor, Think, ThoughtOrigin, Timestamp, TraceContext,
    TraceId, TraceParent, Truncation, Usage, read_entry,
};

use crate::line;
use crate::question::{grants, open_question, text};

fn duration() -> impl Strategy<Value = Duration> {
    prop_oneof![any::<u64>().prop_map(Duration::from_nanos), any::<Duration>()]
}

fn file_delta() -> impl Strategy<Value = FileDelta> {
    let kind = prop::sample::select(DeltaKind::ALL.to_vec());
    (text(), kind, any::<[u64; 2]>(), text()).prop_map(|(path, kind, [added, removed], hunks)| {
        FileDelta::new(path, kind).with_lines(added, removed).with_hunks(hunks)
    })
}

fn usage() -> impl Strategy<Value = Usage> {
    let counts = prop::array::uniform5(prop_oneof![Just(0), any::<u64>()]);
    let seconds = prop::array::uniform2(prop_oneof![Just(Duration::ZERO), duration()]);
    (counts, seconds, any::<bool>()).prop_map(
        |(counts, [time_to_first_delta, duration], estimated)| {
            let [input, output, cached, reasoning, sent_bytes] = counts;
            Usage {
                input,
                output,
                cached,
                reasoning,
                sent_bytes,
                time_to_first_delta,
                duration,
                estimated,
            }
        },
    )
}

fn call() -> impl Strategy<Value = Call> {
    let action = (
        prop::sample::select(CallKind::ALL.to_vec()),
        prop::sample::select(CallMode::ALL.to_vec()),
        prop::collection::vec(text(), 0..3),
        prop::option::of(text()),
        prop::option::of(duration()),
        prop::option::of(any::<u32>()),
        prop::option::of(prop::sample::select(OnError::ALL.to_vec())),
    )
        .prop_map(|(kind, mode, depends_on, output_key, timeout, retry, on_error)| {
            ActionAttributes { kind, mode, depends_on, output_key, timeout, retry, on_error }
        });
    (text(), text(), prop::option::of(action)).prop_map(|(id, value, action)| {
        let content =
            format!("{{ \"name\": \"t\",\n\"args\": {{\"v\": {}}}}}", Json::string(&value));
        let call = Call::parse(id, content).expect("it is a call");
        match action {
            Some(action) => call.with_action(action),
            None => call,
        }
    })
}

fn truncation() -> impl Strategy<Value = Truncation> {
    let number = || prop::option::of(any::<u64>());
    let name = || prop::option::of(text());
    (number(), number(), number(), name(), name()).prop_map(|(bytes, lines, next, full, tail)| {
        let mut truncated = Truncation::default();
        truncated.omitted_bytes = bytes;
        truncated.omitted_lines = lines;
        truncated.next_offset = next;
        truncated.full_output = full;
        truncated.tail = tail;
        truncated
    })
}

fn event() -> impl Strategy<Value = Event> {
    let origin = prop_oneof![Just(ThoughtOrigin::Model), Just(ThoughtOrigin::Provider)];
    let error_origin = prop::sample::select(vec![
        ErrorOrigin::Model,
        ErrorOrigin::Tool,
        ErrorOrigin::Provider,
        ErrorOrigin::Caller,
    ]);
    let state = prop::sample::select(vec![
        ApprovalState::Asked,
        ApprovalState::Allowed,
        ApprovalState::Denied,
    ]);
    prop_oneof![
        text().prop_map(Event::user),
        (text(), origin).prop_map(|(content, origin)| Event::Think(Think { content, origin })),
        call().prop_map(Event::Call),
        Just(Event::Execute),
        (text(), text(), text(), text()).prop_map(|(id, tool, summary, content)| {
            Event::Result(CallResult::success(id, tool, summary, content))
        }),
        (text(), prop::option::of(text()), text()).prop_map(|(id, tool, why)| {
            Event::Result(CallResult::failure(id, tool.as_deref(), "", why))
        }),
        (text(), text(), truncation(), prop::collection::vec(text(), 0..3)).prop_map(
            |(id, why, truncated, notices)| {
                let outcome = CallResult::framework_failure(id, None, "", why);
                Event::Result(outcome.with_truncation(truncated).with_notices(notices))
            }
        ),
        (prop::option::of(text()), text()).prop_map(|(id, content)| Event::Result({
            let result = CallResult::unknown(content);
            match id {
                Some(id) => result.with_id(id),
                None => result,
            }
        })),
        (text(), any::<u32>(), any::<u32>()).prop_map(|(content, ok, bad)| {
            Event::Batch(ResultBatch {
                content,
                success_count: ok.into(),
                failure_count: bad.into(),
            })
        }),
        (text(), prop::option::of(text()), any::<bool>()).prop_map(|(content, wire, last)| {
            Event::Respond(Respond { wire, last, ..Respond::new(content) })
        }),
        (text(), text()).prop_map(|(id, text)| Event::Respond(Respond::malformed(id, text))),
        Just(Event::End),
        (usage(), usage(), prop::option::of(any::<u64>())).prop_map(|(step, total, window)| {
            Event::Metric(Metric { window, ..Metric::new(step, total) })
        }),
        (text(), text(), error_origin, any::<bool>(), prop::option::of(any::<u64>())).prop_map(
            |(code, content, origin, retry, at)| Event::Error(ErrorEvent {
                code,
                content,
                origin,
                retry,
                at
            })
        ),
        text().prop_map(|reason| Event::Interrupt { reason }),
        text().prop_map(|content| Event::Cancelled { content }),
        text().prop_map(|content| Event::Notice { content }),
        text().prop_map(Event::title),
        (text(), any::<[u64; 2]>(), prop::sample::select(SummaryAuthor::ALL.to_vec()), text())
            .prop_map(|(content, [until, shortened], author, name)| {
                let outputs = vec![KeptOutput { turn: until as u32, id: content.clone(), name }];
                Event::Summary(ContextSummary { content, until, shortened, author, outputs })
            }),
        (text(), text(), any::<u64>(), text()).prop_map(|(id, channel, n, content)| {
            Event::Progress(Progress { id, channel, n, content })
        }),
        (text(), prop::collection::vec(file_delta(), 0..3))
            .prop_map(|(id, files)| Event::Changes(CallChanges { id, files })),
        (text(), state, prop::array::uniform5(prop::option::of(text())), grants()).prop_map(
            |(id, state, [args_sha256, target, risk, scope, reason], grants)| {
                Event::Approval(Approval {
                    id,
                    state,
                    args_sha256,
                    target,
                    risk,
                    scope,
                    grants,
                    reason,
                })
            }
        ),
        (
            prop::array::uniform3(text()),
            any::<bool>(),
            prop::collection::vec(open_question(), 0..3),
            prop::collection::vec(text(), 0..3)
        )
            .prop_map(|([wire, dialect, root], inline, questions, inside)| {
                Event::Parked(Parked { wire, dialect, inline, root, questions, inside })
            }),
    ]
}

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
fn lines_of_the_corpus_round_trip_or_are_rejected() {
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
fn the_json_of_each_kind_of_event_is_stable() {
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
