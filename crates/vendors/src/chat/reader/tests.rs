use crate::answer::Api;
use crate::reader::tests::{check, check_whole};

fn api() -> Box<dyn Api> {
    Box::new(super::Reader)
}

const STOP: &str = r#"{"choices":[{"finish_reason":"stop"}]}"#;

#[test]
fn odd_chunks_are_taken() {
    let text = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    for odd in [
        "{}",
        "",
        r#"{"message":"queued","choices":[]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":[],"prompt_filter_results":[{"x":1}]}"#,
        r#"{"choices":[{}],"usage":null,"error":null}"#,
        r#"{"choices":[{"index":0,"delta":null,"finish_reason":null}]}"#,
        r#"{"choices":[{"delta":{"role":"assistant","content":null},"finish_reason":""}]}"#,
        r#"{"choices":[{"delta":{"content":""},"logprobs":{"content":[]}}],"obfuscation":"x"}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"type":""}]},"message":{"content":"b"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"second"},"finish_reason":"length"}]}"#,
        r#"{"choices":[{"delta":{"x":"\ud83d"}}],"usage":{"prompt_tokens":"many"}}"#,
    ] {
        check(api, &[odd, text, odd, STOP, odd, "[DONE]"], &["a", "Stop"]);
    }
}

#[test]
fn reasoning_comes_beside_the_text() {
    check(
        api,
        &[
            r#"{"choices":[{"delta":{"reasoning_content":"r\ud83d"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"\uddfc","content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"s","reasoning_content":"s"}}]}"#,
            STOP,
        ],
        &["~r", "~🗼", "a", "~s", "Stop"],
    );
}

#[test]
fn usage_comes_once_before_the_end_and_the_last_counts() {
    check(
        api,
        &[
            r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}"#,
            STOP,
            r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3,
                "prompt_tokens_details":{"cached_tokens":4},
                "completion_tokens_details":{"reasoning_tokens":2,"audio_tokens":0}}}"#,
            r#"{"choices":[]}"#,
            "[DONE]",
        ],
        &["a", "5/3~2/4", "Stop"],
    );
}

#[test]
fn every_reason_has_its_finish() {
    for (reason, finish) in [
        ("stop", "Stop"),
        ("length", "Length"),
        ("content_filter", "Filter"),
        ("tool_calls", "Other(\"tool_calls\")"),
        ("function_call", "Other(\"function_call\")"),
        ("eos", "Other(\"eos\")"),
    ] {
        let chunk = format!(r#"{{"choices":[{{"finish_reason":"{reason}"}}]}}"#);
        check(api, &[&chunk], &[finish]);
        check_whole(api, &chunk, &[finish]);
    }
    check(api, &[r#"{"choices":[{"delta":{"refusal":"no"}}]}"#, STOP], &["no", "Filter"]);
}

#[test]
fn a_half_at_the_end_is_replaced_unless_the_answer_is_cut() {
    let half = r#"{"choices":[{"delta":{"content":"\ud83d"}}]}"#;
    check(api, &[half, STOP], &["\u{FFFD}", "Stop"]);
    check(api, &[half], &["cut"]);
}

#[test]
fn the_wrong_shape_is_malformed() {
    let wrong = ["1", "[]", "text", r#"{"choices":1}"#, r#"{"choices":[{"delta":{"content":1}}]}"#];
    for wrong in wrong {
        check(api, &[wrong, STOP], &["malformed"]);
    }
    check(api, &[STOP, "text"], &["malformed"]);
}
