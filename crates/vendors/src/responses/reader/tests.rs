use crate::answer::EventReader;
use crate::reader::tests::{check, check_cuts, check_whole, declared};

fn api() -> Box<dyn EventReader> {
    Box::new(super::ResponsesReader::default())
}

const TEXT: &str = r#"{"type":"response.output_text.delta","item_id":"m1","delta":"a"}"#;
const DONE: &str = r#"{"type":"response.completed","response":{"status":"completed"}}"#;

#[test]
fn odd_events_are_taken() {
    for odd in [
        "",
        r#"{"type":"response.created","response":{"status":"in_progress","output":[],"error":null,
            "incomplete_details":null,"usage":null}}"#,
        r#"{"type":"response.in_progress"}"#,
        r#"{"type":"response.new","delta":{"x":"\ud83d"}}"#,
        r#"{"type":"response.output_item.added","item":{"type":"message","content":[]}}"#,
        r#"{"type":"response.output_text.done","text":"again"}"#,
        r#"{"type":"response.output_text.delta","delta":""}"#,
        r#"{"type":"response.output_text.delta"}"#,
        r#"{"type":"response.function_call_arguments.delta","delta":"{"}"#,
        r#"{"type":"response.output_text.delta","item_id":{},"delta":{}}"#,
        r#"{"type":"response.created","response":{"id":7,"status":[],"error":{}}}"#,
        r#"{"type":"response.in_progress","response":"b"}"#,
    ] {
        check(api, &[odd, TEXT, odd, DONE, odd, "{"], &["a", "Stop"]);
    }
}

#[test]
fn reasoning_and_text_join_split_characters_separately() {
    check(
        api,
        &[
            r#"{"type":"response.reasoning_text.delta","delta":"\ud83d"}"#,
            r#"{"type":"response.reasoning_summary_text.delta","delta":"\uddfc"}"#,
            r#"{"type":"response.output_text.delta","delta":"\ud83d"}"#,
            r#"{"type":"response.output_text.delta","delta":"\uddfc"}"#,
            DONE,
        ],
        &["~🗼", "🗼", "Stop"],
    );
}

#[test]
fn each_message_begins_a_line() {
    let text = |item: &str, text: &str| {
        format!(r#"{{"type":"response.output_text.delta","item_id":"{item}","delta":"{text}"}}"#)
    };
    let events = [text("m1", "a"), text("m1", "b"), text("m2", "c\\n"), text("m3", "d")];
    let events: Vec<_> = events.iter().map(String::as_str).chain([DONE]).collect();
    check(api, &events, &["a", "b", "\n", "c\n", "d", "Stop"]);
    // Half a character at the end of a message is not joined to the next message.
    let events = [text("m1", "\\ud83d"), text("m2", "\\uddfc")];
    let events: Vec<_> = events.iter().map(String::as_str).chain([DONE]).collect();
    check(api, &events, &["\u{FFFD}", "\n", "\u{FFFD}", "Stop"]);
}

#[test]
fn usage_comes_with_the_end() {
    let done = r#"{"type":"response.completed","response":{"status":"completed","usage":{
        "input_tokens":5,"input_tokens_details":{"cached_tokens":4},"output_tokens":3,
        "output_tokens_details":{"reasoning_tokens":2}}}}"#;
    check(api, &[TEXT, done], &["a", "5/3~2/4", "Stop"]);
    let odd = r#"{"type":"response.completed","response":{"usage":{"input_tokens":"many"}}}"#;
    check(api, &[TEXT, odd], &["a", "Stop"]);
}

#[test]
fn finish_reasons_are_mapped() {
    for (reason, finish) in [
        ("max_output_tokens", "Length"),
        ("content_filter", "Filter"),
        ("steered", "cut"),
        ("max_messages", "malformed"),
    ] {
        let response = format!(
            r#"{{"status":"incomplete","output":[],"incomplete_details":{{"reason":"{reason}"}}}}"#
        );
        let event = format!(r#"{{"type":"response.incomplete","response":{response}}}"#);
        check(api, &[TEXT, &event], &["a", finish]);
        check_whole(api, &response, &[finish]);
    }
    check(api, &[TEXT, r#"{"type":"response.incomplete"}"#], &["a", "Length"]);
    check(api, &[TEXT, r#"{"type":"response.completed"}"#], &["a", "Stop"]);
    for (status, kind) in
        [("cancelled", "cut"), ("queued", "cut"), ("in_progress", "cut"), ("new", "malformed")]
    {
        let response = format!(r#"{{"status":"{status}","output":[]}}"#);
        let event = format!(r#"{{"type":"response.completed","response":{response}}}"#);
        check(api, &[TEXT, &event], &["a", kind]);
        check_whole(api, &response, &[kind]);
    }
    // One server sends the status in the wrong event.
    let incomplete = r#"{"type":"response.completed","response":{"status":"incomplete"}}"#;
    check(api, &[TEXT, incomplete], &["a", "Length"]);
    let empty = r#"{"type":"response.refusal.delta","delta":""}"#;
    check(api, &[TEXT, empty, DONE], &["a", "Stop"]);
    let refusal = r#"{"type":"response.refusal.delta","delta":"no"}"#;
    check(api, &[refusal, DONE], &["no", "Filter"]);
    check(api, &[TEXT], &["a", "cut"]);
    check(api, &[TEXT, "[DONE]"], &["a", "cut"]);
}

#[test]
fn complete_response_is_read() {
    let body = r#"{"status":"completed","error":null,"output":[
        {"type":"reasoning","summary":[{"type":"summary_text","text":"r"}]},
        {"type":"message","content":[{"type":"output_text","text":"a"}]},
        {"type":"message","content":[{"type":"output_text","text":"b"}]},
        {"type":"web_search_call","id":"x"}],"usage":{"input_tokens":1,"output_tokens":2}}"#;
    check_whole(api, body, &["~r", "a", "\n", "b", "1/2/0", "Stop"]);
    let refusal = r#"{"status":"completed","output":[{"type":"message",
        "content":[{"type":"refusal","refusal":"no"}]}]}"#;
    check_whole(api, refusal, &["no", "Filter"]);
    check_whole(api, "{}", &["cut"]);
}

#[test]
fn unexpected_items_do_not_spoil_an_answer() {
    for item in [
        r#"{"type":"shell_call_output","content":"text"}"#,
        r#"{"type":"reasoning","summary":{"x":1},"content":true}"#,
        r#"{"type":"new","content":[{"text":{"value":"x"}}]}"#,
        r#""text""#,
    ] {
        let message = r#"{"type":"message","content":[{"type":"output_text","text":"a"}]}"#;
        let whole = format!(r#"{{"status":"completed","output":[{item},{message}]}}"#);
        let done = format!(r#"{{"type":"response.completed","response":{whole}}}"#);
        check(api, &[TEXT, &done], &["a", "Stop"]);
        check_whole(api, &whole, &["a", "Stop"]);
    }
}

#[test]
fn errors_have_their_kinds() {
    for (code, kind) in [
        ("server_error", "overload"),
        ("rate_limit_exceeded", "rate"),
        ("invalid_prompt", "refused"),
        ("context_length_exceeded", "context_too_long"),
        ("insufficient_quota", "refused"),
    ] {
        let error = format!(r#"{{"code":"{code}","message":"m"}}"#);
        let response = format!(r#"{{"status":"failed","output":[],"error":{error}}}"#);
        let failed = format!(r#"{{"type":"response.failed","response":{response}}}"#);
        let flat = format!(r#"{{"type":"error","code":"{code}","message":"m","param":null}}"#);
        let nested = format!(r#"{{"type":"error","status":400,"error":{error}}}"#);
        for event in [failed, flat, nested] {
            check(api, &[TEXT, &event], &["a", kind]);
        }
        check_whole(api, &response, &[kind]);
    }
    check(api, &[TEXT, r#"{"type":"response.failed"}"#], &["a", "overload"]);
}

#[test]
fn wrong_shapes_are_malformed() {
    for wrong in ["1", "[]", "text", "{}", r#"{"type":1}"#] {
        check(api, &[wrong, DONE], &["malformed"]);
    }
}

fn with_tools() -> Box<dyn EventReader> {
    Box::new(super::ResponsesReader::new(&declared()))
}

#[test]
fn calls_and_reasoning_items_arrive_as_items() {
    let events = [
        r#"{"type":"response.output_item.added","item":{"type":"reasoning","id":"rs1","encrypted_content":"E"}}"#,
        r#"{"type":"response.output_item.done","item":{"type":"reasoning","id":"rs1","encrypted_content":"EE"}}"#,
        r#"{"type":"response.output_text.delta","item_id":"m1","delta":"I look."}"#,
        r#"{"type":"response.output_item.added","item":{"type":"function_call","id":"fc1","call_id":"c1","name":"look","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc1","delta":"{\"a\""}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc1","delta":":1}"}"#,
        r#"{"type":"response.function_call_arguments.done","item_id":"fc1","arguments":"{\"a\":1}"}"#,
        r#"{"type":"response.output_item.done","item":{"type":"function_call","id":"fc1","call_id":"c1","name":"look","arguments":"{\"a\":1}"}}"#,
        r#"{"type":"response.output_item.done","item":{"type":"function_call","id":"fc2","call_id":"c2","name":"look","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"status":"completed"}}"#,
    ];
    let deltas = [
        r#"^{"type":"reasoning","id":"rs1","encrypted_content":"EE"}"#,
        "I look.",
        "look#c1(",
        "{\"a\"",
        ":1}",
        ")fc1",
        "look#c2(",
        "{}",
        ")fc2",
        "Stop",
    ];
    check(with_tools, &events, &deltas);
    check_cuts(with_tools, &events);
    check(api, &events, &["I look.", "Stop"]);
    let late = r#"{"type":"response.function_call_arguments.delta","item_id":"fc1","delta":"x"}"#;
    check(with_tools, &[events[8], late], &["look#c2(", "{}", ")fc2", "malformed"]);
}

#[test]
fn complete_response_has_its_calls() {
    let body = r#"{"status":"completed","output":[
        {"type":"message","content":[{"type":"output_text","text":"I look."}]},
        {"type":"function_call","id":"fc1","call_id":"c1","name":"look","arguments":"{}"}]}"#;
    check_whole(with_tools, body, &["I look.", "look#c1(", "{}", ")fc1", "Stop"]);
}

#[test]
fn message_phase_precedes_its_text() {
    let events = [
        r#"{"type":"response.output_item.added","item":{"type":"message","id":"m1","phase":"commentary"}}"#,
        r#"{"type":"response.output_text.delta","item_id":"m1","delta":"I look."}"#,
        r#"{"type":"response.output_item.done","item":{"type":"message","id":"m1","phase":"commentary"}}"#,
        r#"{"type":"response.output_item.added","item":{"type":"message","id":"m2","phase":null}}"#,
        DONE,
    ];
    check(with_tools, &events, &[r#"^{"phase":"commentary"}"#, "I look.", "Stop"]);
    // The text protocol sends no messages of the vendor back.
    check(api, &events, &["I look.", "Stop"]);
    check_whole(
        with_tools,
        r#"{"status":"completed","output":[{"type":"message","phase":"final_answer",
            "content":[{"type":"output_text","text":"Hi."}]}]}"#,
        &[r#"^{"phase":"final_answer"}"#, "Hi.", "Stop"],
    );
}
