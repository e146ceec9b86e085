use std::sync::Arc;

use crate::answer::EventReader;
use crate::reader::tests::{check, check_cuts, check_whole, cut_anywhere, declared};

fn api() -> Box<dyn EventReader> {
    Box::new(super::InteractionsReader::default())
}

const TEXT: &str = r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"a"}}"#;
const DONE: &str =
    r#"{"event_type":"interaction.completed","interaction":{"id":"i","status":"completed"}}"#;

fn ended(interaction: &str) -> String {
    format!(r#"{{"event_type":"interaction.completed","interaction":{interaction}}}"#)
}

#[test]
fn odd_events_are_taken() {
    for odd in [
        "",
        r#"{"event_type":"interaction.created","interaction":{"id":"i","status":"in_progress"}}"#,
        r#"{"event_type":"interaction.status_update","interaction_id":"i","status":"in_progress",
            "continuation_token":"t"}"#,
        r#"{"event_type":"step.start","index":0,"step":{"type":"model_output","content":[]}}"#,
        r#"{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"f"}}"#,
        r#"{"event_type":"step.start"}"#,
        r#"{"event_type":"step.delta"}"#,
        r#"{"event_type":"step.delta","delta":{"type":"text"}}"#,
        r#"{"event_type":"step.delta","delta":{"type":"text","text":""},"metadata":{}}"#,
        r#"{"event_type":"step.delta","delta":{"type":"thought_signature","signature":"x"}}"#,
        r#"{"event_type":"step.delta","delta":{"type":"thought_summary"}}"#,
        r#"{"event_type":"step.delta","delta":{"type":"code_execution_result","content":7}}"#,
        r#"{"event_type":"step.stop","index":0,"usage":{"total_input_tokens":"many"}}"#,
        r#"{"event_type":"new","delta":{"type":"new","x":"\ud83d"}}"#,
        r#"{"event_type":"step.start","step":{"type":"model_output","content":{},"error":{}}}"#,
        r#"{"event_type":"step.delta","delta":{"type":"text","text":{}},"step":[],"interaction":1}"#,
        r#"{"event_type":"step.delta","delta":[]}"#,
    ] {
        check(api, &[odd, TEXT, odd, DONE, odd, "{"], &["a", "Stop"]);
    }
}

#[test]
fn thoughts_are_reasoning_and_halves_of_characters_meet() {
    let thought = |text: &str| {
        format!(
            r#"{{"event_type":"step.delta","delta":{{"type":"thought_summary",
            "content":{{"type":"text","text":"{text}"}}}}}}"#
        )
    };
    let text = |text: &str| {
        format!(r#"{{"event_type":"step.delta","delta":{{"type":"text","text":"{text}"}}}}"#)
    };
    check(
        api,
        &[&thought("\\ud83d"), &thought("\\uddfc"), &text("\\ud83d"), &text("\\uddfc"), DONE],
        &["~🗼", "🗼", "Stop"],
    );
    let step = r#"{"event_type":"step.start","step":{"type":"model_output",
        "content":[{"type":"text","text":"b"}]}}"#;
    check(api, &[TEXT, step, DONE], &["a", "b", "Stop"]);
}

#[test]
fn usage_arrives_last_and_output_includes_thoughts() {
    let done = ended(
        r#"{"status":"completed","usage":{"total_input_tokens":7,"total_cached_tokens":4,
        "total_output_tokens":20,"total_thought_tokens":22,"total_tokens":49}}"#,
    );
    check(api, &[TEXT, &done], &["a", "7/42~22/4", "Stop"]);
    let odd = ended(r#"{"usage":{"total_input_tokens":"many"}}"#);
    check(api, &[TEXT, &odd], &["a", "Stop"]);
}

#[test]
fn interaction_statuses_are_mapped() {
    for (status, finish) in [
        ("completed", "Stop"),
        ("incomplete", "Length"),
        ("requires_continuation", "Length"),
        ("budget_exceeded", "refused"),
        ("requires_action", "ToolUse"),
        ("cancelled", "cut"),
        ("new", "malformed"),
        ("in_progress", "cut"),
        ("queued", "cut"),
    ] {
        let interaction = format!(r#"{{"id":"i","status":"{status}"}}"#);
        check(api, &[TEXT, &ended(&interaction)], &["a", finish]);
        check_whole(api, &interaction, &[finish]);
    }
    check(api, &[TEXT, r#"{"event_type":"interaction.completed"}"#], &["a", "Stop"]);
    check(api, &[TEXT], &["a", "cut"]);
    check(api, &[TEXT, "[DONE]"], &["a", "cut"]);
}

#[test]
fn complete_interaction_is_read_after_its_last_input() {
    let body = r#"{"id":"i","status":"completed","steps":[
        {"type":"model_output","content":[{"type":"text","text":"earlier"}]},
        {"type":"user_input","content":[{"type":"text","text":"hi"}]},
        {"type":"thought","signature":"s","summary":[{"type":"text","text":"r"}]},
        {"type":"google_search_call","id":"x","arguments":{}},
        {"type":"model_output","content":[{"type":"text","text":"a"},{"type":"image"}]}],
        "usage":{"total_input_tokens":1,"total_output_tokens":2}}"#;
    check_whole(api, body, &["~r", "a", "1/2/0", "Stop"]);
    check_whole(api, "{}", &["cut"]);
}

#[test]
fn errors_have_their_kinds() {
    for (code, kind) in [
        ("resource_exhausted", "rate"),
        ("unavailable", "overload"),
        ("permission_denied", "auth"),
        ("invalid_argument", "refused"),
        ("not_found", "refused"),
    ] {
        let error = format!(r#"{{"code":"{code}","message":"m"}}"#);
        let event = format!(r#"{{"event_type":"error","error":{error}}}"#);
        let failed = format!(r#"{{"id":"i","status":"failed","errors":[{error}]}}"#);
        check(api, &[TEXT, &event], &["a", kind]);
        check(api, &[TEXT, &ended(&failed)], &["a", kind]);
        check_whole(api, &failed, &[kind]);
        check_whole(api, &format!(r#"{{"error":{error}}}"#), &[kind]);
    }
    check(api, &[TEXT, &ended(r#"{"status":"failed"}"#)], &["a", "overload"]);
    let step = r#"{"event_type":"step.start","step":{"type":"model_output",
        "error":{"code":13,"message":"m"}}}"#;
    check(api, &[TEXT, step], &["a", "overload"]);
}

#[test]
fn wrong_shapes_are_malformed() {
    for wrong in ["1", "[]", "text", "{}", r#"{"event_type":1}"#] {
        check(api, &[wrong, DONE], &["malformed"]);
    }
}

#[test]
fn body_may_be_split_anywhere() {
    let body = include_str!("tests/streamed.sse");
    cut_anywhere(api, "streamed.sse", body.as_bytes());
    check_ends(body);
}

/// The deltas of the body when it is read at once.
fn check_ends(body: &str) {
    let data: Vec<_> = body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let expected = ["~A tower.", "§respond: ", "東京 🗼", "\n§end", "12/9~3/5", "Stop"];
    check(api, &data, &expected);
}

fn with_tools() -> Box<dyn EventReader> {
    Box::new(super::InteractionsReader::new(Arc::default(), &declared()))
}

fn start(step: &str) -> String {
    format!(r#"{{"event_type":"step.start","step":{step}}}"#)
}

fn piece(delta: &str) -> String {
    format!(r#"{{"event_type":"step.delta","delta":{delta}}}"#)
}

const STEP_END: &str = r#"{"event_type":"step.stop"}"#;

#[test]
fn calls_arrive_as_steps_with_opaque_parts() {
    let ends = ended(r#"{"id":"i","status":"requires_action"}"#);
    let call =
        r#"{"type":"function_call","id":"c1","name":"look","arguments":{},"signature":"sc"}"#;
    let events = [
        start(r#"{"type":"thought"}"#),
        piece(r#"{"type":"thought_summary","content":{"type":"text","text":"I look."}}"#),
        piece(r#"{"type":"thought_signature","signature":"st"}"#),
        STEP_END.to_owned(),
        start(call),
        piece(r#"{"type":"arguments_delta","arguments":"{\"path\""}"#),
        piece(r#"{"type":"arguments","partial_arguments":":1}"}"#),
        STEP_END.to_owned(),
        // Some servers do not mark the end of a step.
        start(r#"{"type":"function_call","id":"c2","name":"look","arguments":{"a":[]}}"#),
        ends,
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let deltas = [
        "~I look.",
        r#"^{"type":"thought","signature":"st","summary":[{"type":"text","text":"I look."}]}"#,
        "look#c1(",
        "{\"path\"",
        ":1}",
        ")sc",
        "look#c2(",
        "{\"a\":[]}",
        ")",
        "ToolUse",
    ];
    check(with_tools, &events, &deltas);
    check_cuts(with_tools, &events);
    // Without declared tools there are no calls.
    check(api, &events, &["~I look.", "ToolUse"]);
    // An answer at its limit ends no call.
    let limit = ended(r#"{"id":"i","status":"incomplete"}"#);
    check(with_tools, &[events[4], events[5], &limit], &["look#c1(", "{\"path\"", "Length"]);
    let whole = r#"{"id":"i","status":"requires_action","steps":[
        {"type":"user_input","content":[{"type":"text","text":"hi"}]},
        {"type":"thought","signature":"st"},
        {"type":"function_call","id":"c1","name":"look","arguments":{"a":1},"signature":"sc"}]}"#;
    let deltas =
        [r#"^{"type":"thought","signature":"st"}"#, "look#c1(", "{\"a\":1}", ")sc", "ToolUse"];
    check_whole(with_tools, whole, &deltas);
}

#[test]
fn texts_with_something_between_them_are_two_lines() {
    let text = start(r#"{"type":"model_output","content":[{"type":"text","text":"a"}]}"#);
    let search = start(r#"{"type":"google_search_call","id":"x","arguments":{}}"#);
    check(api, &[&text, &search, &text, DONE], &["a", "\n", "a", "Stop"]);
    check(api, &[&text, &text, DONE], &["a", "a", "Stop"]);
}
