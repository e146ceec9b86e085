use crate::answer::EventReader;
use crate::reader::tests::{check, check_cuts, check_whole, declared};

fn api() -> Box<dyn EventReader> {
    Box::new(super::GeminiReader::default())
}

const TEXT: &str = r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"}}]}"#;
const STOP: &str = r#"{"candidates":[{"finishReason":"STOP"}]}"#;

#[test]
fn odd_chunks_are_taken() {
    for odd in [
        "{}",
        "",
        r#"{"candidates":null,"error":null,"promptFeedback":null}"#,
        r#"{"candidates":[],"promptFeedback":{"safetyRatings":[]}}"#,
        r#"{"candidates":[{}],"modelVersion":"m","responseId":"r"}"#,
        r#"{"candidates":[{"index":0,"content":null,"finishReason":null}]}"#,
        r#"{"candidates":[{"content":{}}]}"#,
        r#"{"candidates":[{"content":{"parts":[]},"finishReason":""}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":""},{"functionCall":{"name":"f"}}]}}]}"#,
        r#"{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"SAFETY"}]}"#,
        r#"{"x":"\ud83d","usageMetadata":{"promptTokenCount":"many"}}"#,
        r#"{"candidates":[{"index":0.0,"content":"b","finishReason":{}},null,7],"error":{}}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":{}},{"thought":1},"b",null]}}]}"#,
        r#"{"promptFeedback":[],"usageMetadata":7,"candidates":[{"content":1}]}"#,
    ] {
        check(api, &[odd, TEXT, odd, STOP, odd], &["a", "Stop"]);
    }
}

#[test]
fn thoughts_are_reasoning_and_halves_of_characters_meet() {
    let part = |part| format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#);
    check(
        api,
        &[
            &part(r#"{"text":"r\ud83d","thought":true}"#),
            &part(r#"{"text":"\uddfc","thought":true},{"text":"a\ud83d"}"#),
            &part(r#"{"text":"\uddfc","thought":false}"#),
            STOP,
        ],
        &["~r", "~🗼", "a", "🗼", "Stop"],
    );
}

#[test]
fn last_usage_counts_with_thoughts_as_output() {
    let text = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],
        "usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}"#;
    let stop = r#"{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,
        "cachedContentTokenCount":4,"candidatesTokenCount":3,"thoughtsTokenCount":20}}"#;
    check(api, &[text, stop], &["a", "10/23~20/4", "Stop"]);
}

#[test]
fn finish_reasons_are_mapped() {
    for (reason, finish) in [
        ("STOP", "Stop"),
        ("MAX_TOKENS", "Length"),
        ("CONTINUATION", "Length"),
        ("SAFETY", "Filter"),
        ("RECITATION", "Filter"),
        ("LANGUAGE", "Filter"),
        ("BLOCKLIST", "Filter"),
        ("PROHIBITED_CONTENT", "Filter"),
        ("SPII", "Filter"),
        ("MODEL_ARMOR", "Filter"),
        ("IMAGE_SAFETY", "Filter"),
        ("OTHER", "cut"),
        ("MALFORMED_FUNCTION_CALL", "cut"),
        ("MALFORMED_RESPONSE", "cut"),
        ("UNEXPECTED_TOOL_CALL", "cut"),
        ("MISSING_THOUGHT_SIGNATURE", "refused"),
        ("FINISH_REASON_UNSPECIFIED", "cut"),
        ("NEW", "malformed"),
    ] {
        let chunk = format!(r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#);
        check(api, &[TEXT, &chunk], &["a", finish]);
        check_whole(api, &chunk, &[finish]);
    }
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    check(api, &[blocked], &["Filter"]);
    check_whole(api, blocked, &["Filter"]);
    check(api, &[TEXT], &["a", "cut"]);
    check_whole(api, TEXT, &["a", "cut"]);
}

#[test]
fn array_of_chunks_is_read() {
    check_whole(api, &format!("[{TEXT},\n{TEXT}\n,{STOP}]"), &["a", "a", "Stop"]);
    check_whole(api, "[]", &["cut"]);
    check_whole(api, &format!("[{TEXT},"), &["cut"]);
}

#[test]
fn errors_have_their_kinds() {
    for (code, status, kind) in [
        (400, "INVALID_ARGUMENT", "refused"),
        (401, "UNAUTHENTICATED", "auth"),
        (403, "PERMISSION_DENIED", "auth"),
        (404, "NOT_FOUND", "refused"),
        (429, "RESOURCE_EXHAUSTED", "rate"),
        (500, "INTERNAL", "overload"),
        (503, "UNAVAILABLE", "overload"),
        (504, "DEADLINE_EXCEEDED", "overload"),
    ] {
        let numbered =
            format!(r#"{{"error":{{"code":{code},"message":"m","status":"{status}"}}}}"#);
        let named = format!(r#"{{"error":{{"message":"m","status":"{status}"}}}}"#);
        for error in [&numbered, &named] {
            check(api, &[TEXT, error], &["a", kind]);
            check_whole(api, error, &[kind]);
        }
        check_whole(api, &format!("[{numbered}]"), &[kind]);
    }
    for (message, kind) in [
        ("API key not valid. Please pass a valid API key.", "auth"),
        (
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            "context_too_long",
        ),
    ] {
        let error = format!(
            r#"{{"error":{{"code":400,"message":"{message}","status":"INVALID_ARGUMENT"}}}}"#
        );
        check(api, &[&error], &[kind]);
    }
}

#[test]
fn wrong_shapes_are_malformed() {
    for wrong in ["1", "text", r#"{"candidates":1}"#] {
        check(api, &[wrong, STOP], &["malformed"]);
    }
}

fn with_tools() -> Box<dyn EventReader> {
    Box::new(super::GeminiReader::new(&declared()))
}

#[test]
fn calls_arrive_complete_and_the_first_is_signed() {
    let events = [
        r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"I look."}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"look","args":{"a":1}},"thoughtSignature":"S"},
            {"functionCall":{"id":"x","name":"look"}}]}}]}"#,
        r#"{"candidates":[{"finishReason":"STOP"}]}"#,
    ];
    let events = events.map(|event| event.replace('\n', ""));
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let deltas = ["~hm", "I look.", "look#(", "{\"a\":1}", ")S", "look#x(", ")", "Stop"];
    check(with_tools, &events, &deltas);
    check_cuts(with_tools, &events);
    check(api, &events, &["~hm", "I look.", "Stop"]);
}
