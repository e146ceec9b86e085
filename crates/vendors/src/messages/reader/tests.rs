use crate::answer::EventReader;
use crate::reader::tests::{check, check_cuts, check_whole, declared};

fn api() -> Box<dyn EventReader> {
    Box::new(super::MessagesReader::default())
}

const TEXT: &str = r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#;
const END: &str = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

#[test]
fn odd_events_are_taken() {
    for odd in [
        "",
        r#"{"type":"ping"}"#,
        r#"{"type":"new","delta":{"text":null,"x":"\ud83d"}}"#,
        r#"{"type":"message_start"}"#,
        r#"{"type":"message_start","message":{"content":[],"usage":null,"error":null}}"#,
        r#"{"type":"message_start","message":{"usage":{"input_tokens":"many"}}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking",
            "data":"x"}}"#,
        r#"{"type":"content_block_start","content_block":{"type":"tool_use","input":{}}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"x"}}"#,
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":""}}"#,
        r#"{"type":"content_block_delta","delta":null}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":null}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":{}},"usage":[]}"#,
        r#"{"type":"message_start","message":[],"delta":1,"content_block":"b"}"#,
        r#"{"type":"content_block_delta","delta":{"text":{},"thinking":[]}}"#,
    ] {
        check(api, &[odd, TEXT, odd, END, odd, STOP, "{"], &["a", "Stop"]);
    }
}

#[test]
fn thinking_is_reasoning_and_halves_of_characters_meet() {
    check(
        api,
        &[
            r#"{"type":"content_block_start","content_block":{"type":"thinking","thinking":"r"}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"\ud83d"}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"\uddfc"}}"#,
            r#"{"type":"content_block_start","content_block":{"type":"text","text":"b"}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"\ud83d"}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"\uddfc"}}"#,
            END,
            STOP,
        ],
        &["~r", "~🗼", "b", "🗼", "Stop"],
    );
}

#[test]
fn input_includes_cached_tokens_and_reports_merge() {
    let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1,
        "cache_creation_input_tokens":20,"cache_read_input_tokens":300}}}"#;
    let end = |usage| {
        format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{usage}}}"#
        )
    };
    check(api, &[start, &end(r#"{"output_tokens":7}"#), STOP], &["325/7/300", "Stop"]);
    let all = r#"{"input_tokens":6,"output_tokens":7,"cache_read_input_tokens":0}"#;
    check(api, &[start, &end(all), STOP], &["26/7/0", "Stop"]);
    let thought = r#"{"output_tokens":7,"output_tokens_details":{"thinking_tokens":4}}"#;
    check(api, &[start, &end(thought), STOP], &["325/7~4/300", "Stop"]);
    check(api, &[start, &end(thought), &end(all), STOP], &["26/7~4/0", "Stop"]);
    check(api, &[start, &end(r#"{"input_tokens":6}"#), STOP], &["326/1/300", "Stop"]);
    check(api, &[start, &end("null"), STOP], &["325/1/300", "Stop"]);
    check(api, &[&end("null"), STOP], &["Stop"]);
}

#[test]
fn finish_reasons_are_mapped() {
    for (reason, finish) in [
        ("end_turn", "Stop"),
        ("stop_sequence", "Stop"),
        ("max_tokens", "Length"),
        ("model_context_window_exceeded", "Length"),
        ("refusal", "Filter"),
        ("tool_use", "ToolUse"),
        ("pause_turn", "cut"),
        ("new", "malformed"),
    ] {
        let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        check(api, &[TEXT, &delta, STOP], &["a", finish]);
        // The stop reason alone completes the answer.
        check(api, &[TEXT, &delta], &["a", finish]);
        let body = format!(r#"{{"type":"message","content":[],"stop_reason":"{reason}"}}"#);
        check_whole(api, &body, &[finish]);
    }
    check(api, &[TEXT, STOP], &["a", "cut"]);
    check_whole(api, r#"{"type":"message","content":[{"text":"a"}]}"#, &["a", "cut"]);
}

#[test]
fn complete_message_is_read() {
    let body = r#"{"type":"message","content":[{"type":"thinking","thinking":"r"},
        {"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn",
        "usage":{"input_tokens":1,"cache_read_input_tokens":2,"output_tokens":3}}"#;
    check_whole(api, body, &["~r", "a", "b", "3/3/2", "Stop"]);
}

#[test]
fn errors_have_their_kinds() {
    for (r#type, kind) in [
        ("overloaded_error", "overload"),
        ("api_error", "overload"),
        ("timeout_error", "overload"),
        ("rate_limit_error", "rate"),
        ("authentication_error", "auth"),
        ("permission_error", "auth"),
        ("billing_error", "refused"),
        ("invalid_request_error", "refused"),
        ("request_too_large", "context_too_long"),
    ] {
        let error = format!(r#"{{"type":"error","error":{{"type":"{type}","message":"m"}}}}"#);
        check(api, &[TEXT, &error], &["a", kind]);
        check_whole(api, &error, &[kind]);
    }
    let long = r#"{"type":"error","error":{"type":"invalid_request_error",
        "message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;
    check(api, &[long], &["context_too_long"]);
}

#[test]
fn wrong_shapes_are_malformed() {
    for wrong in ["1", "[]", "text", "{}", r#"{"type":1}"#] {
        check(api, &[wrong, END], &["malformed"]);
    }
}

fn with_tools() -> Box<dyn EventReader> {
    Box::new(super::MessagesReader::new(&declared()))
}

const CALLED: &str = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#;

#[test]
fn calls_and_signed_thoughts_arrive_as_blocks() {
    let events = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq=="}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"x"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"I look."}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t1","name":"look","input":{}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"path\": "}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"1}"}}"#,
        r#"{"type":"content_block_stop","index":3}"#,
        r#"{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"t2","name":"look","input":{}}}"#,
        r#"{"type":"content_block_stop","index":4}"#,
        CALLED,
        STOP,
    ];
    let deltas = [
        "~hm",
        r#"^{"type":"thinking","thinking":"hm","signature":"Eq=="}"#,
        r#"^{"type":"redacted_thinking","data":"x"}"#,
        "I look.",
        "look#t1(",
        "{\"path\": ",
        "1}",
        ")",
        "look#t2(",
        ")",
        "ToolUse",
    ];
    check(with_tools, &events, &deltas);
    check_cuts(with_tools, &events);
    check(api, &events, &["~hm", "I look.", "ToolUse"]);
    // The signature of a thought that was cut off is empty, and nothing goes back.
    check(with_tools, &[events[0], events[1], events[3], TEXT, END], &["~hm", "a", "Stop"]);
}

#[test]
fn complete_message_has_its_calls() {
    let body = r#"{"type":"message","content":[{"type":"text","text":"I look."},
        {"type":"tool_use","id":"t1","name":"look","input":{"path":1}},
        {"type":"text","text":"Now."}],"stop_reason":"tool_use"}"#;
    let deltas = ["I look.", "look#t1(", "{\"path\":1}", ")", "\n", "Now.", "ToolUse"];
    check_whole(with_tools, body, &deltas);
}

#[test]
fn texts_with_something_between_them_are_lines() {
    let block = |kind: &str| {
        format!(r#"{{"type":"content_block_start","content_block":{{"type":"{kind}"}}}}"#)
    };
    let (text, other) = (block("text"), block("server_tool_use"));
    check(
        api,
        &[&text, TEXT, &text, TEXT, &other, &text, TEXT, END],
        &["a", "a", "\n", "a", "Stop"],
    );
}
