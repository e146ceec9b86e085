//! Cases of the Vercel AI SDK's stream that are rarer than the scenarios.

use silcrow_event::{
    Approval, ApprovalState, CallKind, CallResult, Event, Grants, OpenQuestion, Parked, RunEvent,
    RunEventRef,
};
use silcrow_front::{AiSdkEncoder, AiSdkTarget, RunEncoder as _, RunEnd};

use crate::run_writer::{RunWriter, call};
use crate::scenario::Scenario;

/// Returns the parts of a run that say anything but that a message or step begins or ends.
fn parts(run: RunWriter, end: RunEnd, target: AiSdkTarget) -> Vec<String> {
    let scenario = Scenario { name: "case", known: Vec::new(), events: run.events, end };
    let stream = scenario.encode(&mut AiSdkEncoder::new(target, "talk"));
    let parts = stream.lines().filter_map(|line| line.strip_prefix("data: {\"type\":\""));
    let framing = ["start", "finish", "data-silcrow"];
    let says = |part: &&str| framing.iter().all(|name| !part.starts_with(name));
    parts.filter(says).map(|part| part.trim_end_matches(",\"dynamic\":true}").to_owned()).collect()
}

fn question(id: &str) -> OpenQuestion {
    OpenQuestion {
        id: id.to_owned(),
        item_of: None,
        kind: CallKind::Tool,
        tool: "file_write".to_owned(),
        args: "{}".to_owned(),
        args_sha256: String::new(),
        target: None,
        effect: None,
        diff: None,
        scope: String::new(),
        wider_scopes: Vec::new(),
        grants: Grants::none(),
        risk: Some("It is outside.".to_owned()),
        why: None,
    }
}

fn parked(questions: Vec<OpenQuestion>) -> Event {
    Event::Parked(Parked {
        wire: String::new(),
        dialect: String::new(),
        inline: false,
        families: Vec::new(),
        root: String::new(),
        questions,
        inside: Vec::new(),
    })
}

fn answered(id: &str, state: ApprovalState, reason: &str) -> Event {
    Event::Approval(Approval {
        id: id.to_owned(),
        state,
        args_sha256: None,
        target: None,
        risk: None,
        scope: None,
        grants: Grants::none(),
        reason: Some(reason.to_owned()),
    })
}

fn failed(id: &str) -> Event {
    let why = "The person said no.";
    Event::Result(CallResult::framework_failure(id, Some("file_write"), "denied", why))
}

#[test]
fn steering_message_is_a_part_or_data() {
    let run = || {
        let mut run = RunWriter::begin("Begin.", None);
        run.store(Event::steer("Faster."));
        run
    };
    let data = [r#"data-steering","id":"p2","data":{"text":"Faster."}}"#];
    assert_eq!(parts(run(), RunEnd::Answered, AiSdkTarget::V6), data);
    let part = [r#"steering-message","id":"p2","parts":[{"type":"text","text":"Faster."}]}"#];
    assert_eq!(parts(run(), RunEnd::Answered, AiSdkTarget::V7), part);
}

#[test]
fn user_denied_call_is_denied() {
    let run = || {
        let mut run = RunWriter::begin("Begin.", None);
        run.call(1, "file_write", "{}");
        run.store(parked(vec![question("a1")]));
        run.store(answered("a1", ApprovalState::Denied, "Not there."));
        run.store(failed("a1"));
        run
    };
    let last = |target| parts(run(), RunEnd::Answered, target).split_off(4);
    let answer = r#"data-approval","id":"1/a1","data":{"call":"c1-1","state":"denied","reason":"Not there."}}"#;
    let error = r#"tool-output-error","toolCallId":"c1-1","errorText":"The person said no.""#;
    let denied = r#"tool-output-denied","toolCallId":"c1-1"}"#;
    let response =
        r#"tool-approval-response","approvalId":"1/a1","approved":false,"reason":"Not there."}"#;
    assert_eq!(last(AiSdkTarget::V5), [answer, error]);
    assert_eq!(last(AiSdkTarget::V6)[1..], [answer, denied]);
    assert_eq!(last(AiSdkTarget::V7)[1..], [answer, response, denied]);
}

/// A client sends answers by itself only once every other call of the step has an output.
#[test]
fn blocked_call_has_provisional_output() {
    let mut run = RunWriter::begin("Begin.", None);
    run.call(1, "file_write", "{}");
    run.call(2, "file_read", "{}");
    run.store(parked(vec![question("a1")]));
    let parts = parts(run, RunEnd::Waiting, AiSdkTarget::V6);
    let waits = "This call waits until a person has answered.";
    let expected = format!(r#"tool-output-available","toolCallId":"c1-2","output":"{waits}""#);
    assert_eq!(parts.last(), Some(&expected));
}

#[test]
fn child_agent_call_appears_once_approval_is_requested() {
    let mut run = RunWriter::begin("Begin.", None);
    run.call(1, "helper", "{}");
    run.agent("a1", [Event::user("x"), call(1, "file_write", "{}"), parked(vec![question("a1")])]);
    let parts = parts(run, RunEnd::Waiting, AiSdkTarget::V6);
    let asked =
        parts.iter().find(|part| part.starts_with("tool-input-available\",\"toolCallId\":\"talk"));
    let expected = concat!(
        r#"tool-input-available","toolCallId":"talk/1/a1:c1-1","toolName":"file_write","#,
        r#""title":"helper: file_write","input":{}"#,
    );
    assert_eq!(asked.map(String::as_str), Some(expected));
    let request = concat!(
        r#"tool-approval-request","approvalId":"1/a1/1/a1","toolCallId":"talk/1/a1:c1-1","#,
        r#""reason":"It is outside."}"#,
    );
    assert!(parts.iter().any(|part| part == request), "{parts:#?}");
}

/// The log of the agent is its own, and continues after the answer.
#[test]
fn child_agent_call_gets_output_on_resume() {
    let mut run = RunWriter::begin("Begin.", None);
    run.call(1, "helper", "{}");
    run.store(parked(Vec::new()));
    let log = [
        Event::user("x"),
        call(1, "file_write", "{}"),
        parked(vec![question("a1")]),
        answered("a1", ApprovalState::Allowed, "Yes."),
        Event::Result(CallResult::success("a1", "file_write", "", "written")),
    ];
    run.agent("a1", log);
    let mut log = run.events.iter().filter_map(|event| match event {
        RunEvent::Entry(entry) => Some(entry),
        _ => None,
    });
    let (mut encoder, mut out) = (AiSdkEncoder::new(AiSdkTarget::V6, "talk"), String::new());
    log.by_ref().take(6).for_each(|entry| encoder.skip(entry));
    encoder.begin(&mut out);
    log.for_each(|entry| encoder.encode(RunEventRef::Entry(entry), &mut out));
    let names = out.lines().filter_map(|line| line.split('"').nth(3)).collect::<Vec<_>>();
    assert_eq!(names, ["start", "data-approval", "tool-output-available"], "{out}");
}

#[test]
fn truncated_call_is_an_error() {
    for end in [RunEnd::Stopped, RunEnd::Waiting] {
        let mut run = RunWriter::begin("Begin.", Some(10));
        run.begin_call(1, "file_read", r#"{"path":"a"}"#);
        let parts = parts(run, end, AiSdkTarget::V6);
        let is_cut = |part: &&String| part.starts_with("tool-input-error\",\"toolCallId\":\"c1-1");
        assert_eq!(parts.iter().filter(is_cut).count(), 1, "{parts:#?}");
        assert!(!parts.iter().any(|part| part.starts_with("tool-output")), "{parts:#?}");
    }
}

/// A client has the call in an earlier message, and would end the stream with an error.
#[test]
fn late_result_of_earlier_message_is_omitted() {
    let mut run = RunWriter::begin("Begin.", None);
    run.call(1, "slow", "{}");
    run.store(Event::user("And now?"));
    run.store(Event::Result(CallResult::success("a1", "slow", "done", "late")));
    let known = Scenario { name: "", known: Vec::new(), events: run.events, end: RunEnd::Answered };
    let (mut encoder, mut out) = (AiSdkEncoder::new(AiSdkTarget::V6, "talk"), String::new());
    let log = known.stored();
    log[..2].iter().for_each(|entry| encoder.skip(entry));
    encoder.begin(&mut out);
    for entry in &log[2..] {
        encoder.encode(RunEventRef::Entry(entry), &mut out);
    }
    assert_eq!(out, "data: {\"type\":\"start\",\"messageId\":\"a3\"}\n\n");
}
