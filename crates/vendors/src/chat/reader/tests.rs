use crate::answer::EventReader;
use crate::reader::tests::{New, check, check_cuts, check_whole, declared};
use crate::thoughts::InlineReasoning;

mod reported;

fn api() -> Box<dyn EventReader> {
    Box::new(super::ChatReader::default())
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
        r#"{"choices":[{"delta":{"content":""},"finish_reason":"null"}]}"#,
        r#"{"choices":[{"index":0.0,"delta":{"reasoning":{},"reasoning_content":[]}}]}"#,
        r#"{"choices":[{"delta":{"content":{},"refusal":false},"finish_reason":{}}]}"#,
        r#"{"choices":[{"delta":[1,{}],"message":"b"},null,1,"c",[{}]],"usage":[[]]}"#,
        r#"{"choices":[{"index":2.0,"delta":{"content":"b"}}],"error":{}}"#,
        r#"{"choices":[{"index":"0","delta":"b","error":""}],"error":"","message":"b"}"#,
    ] {
        check(api, &[odd, text, odd, STOP, odd, "[DONE]"], &["a", "Stop"]);
    }
}

#[test]
fn odd_fields_do_not_spoil_their_neighbors() {
    for odd in ["{}", "[]", "1.5", "true", "\"b\"", "[{\"x\":[]}]"] {
        for (chunk, given) in [
            (r#"{"choices":[{"index":0,"delta":{"content":"a","role":ODD,"x":ODD}}]}"#, "a"),
            (r#"{"choices":[{"delta":{"content":"a"},"message":ODD,"logprobs":ODD}]}"#, "a"),
            (r#"{"choices":[{"delta":{"content":"a"},"x":ODD}],"usage":ODD,"message":ODD}"#, "a"),
        ] {
            let chunk = chunk.replace("ODD", odd);
            check(api, &[&chunk, STOP], &[given, "Stop"]);
        }
    }
}

#[test]
fn content_comes_in_every_form() {
    let parts = r#"[{"type":"thinking","thinking":[{"type":"text","text":"r"},"s"]},
        {"type":"text","text":"a"},"b",{"type":"reference","reference_ids":[1]},7,
        {"type":"thinking","thinking":"t"},null]"#;
    for (content, given) in [
        (parts, &["~r", "~s", "a", "b", "7", "~t"][..]),
        ("5", &["5"]),
        ("-0.25", &["-0.25"]),
        (r#"{"type":"text","text":"a"}"#, &["a"]),
        (r#"[{"type":"refusal","refusal":""},{"text":"a"}]"#, &["a"]),
        ("true", &[]),
    ] {
        let given: Vec<_> = given.iter().copied().chain(["Stop"]).collect();
        check(
            api,
            &[&format!(r#"{{"choices":[{{"delta":{{"content":{content}}}}}]}}"#), STOP],
            &given,
        );
        let whole = format!(
            r#"{{"choices":[{{"message":{{"content":{content}}},"finish_reason":"stop"}}]}}"#
        );
        check_whole(api, &whole, &given);
    }
}

#[test]
fn empty_refusals_are_ignored() {
    let chunk = |refusal: &str| {
        format!(r#"{{"choices":[{{"delta":{{"content":"a","refusal":{refusal}}}}}]}}"#)
    };
    for empty in ["\"\"", "null", "{}"] {
        check(api, &[&chunk(empty), &chunk(empty), STOP], &["a", "a", "Stop"]);
    }
    check(api, &[&chunk("\"\""), &chunk("\"no\""), STOP], &["a", "a", "no", "Filter"]);
    let whole =
        r#"{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}"#;
    check_whole(api, whole, &["no", "Filter"]);
}

#[test]
fn complete_answers_need_no_finish_reason() {
    let text = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}"#;
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3}}"#;
    check(api, &[text, usage, "[DONE]"], &["a", "5/3/0", "Stop"]);
    check(api, &[text, usage], &["a", "cut"]);
    check(api, &[text, "[DONE]"], &["a", "cut"]);
    for reason in [r#","finish_reason":"""#, r#","finish_reason":null"#, ""] {
        let whole = format!(r#"{{"choices":[{{"message":{{"content":"a"}}{reason}}}]}}"#);
        check_whole(api, &whole, &["a", "Stop"]);
        check_whole(api, &whole[..whole.len() - 1], &["cut"]);
    }
    for nothing in ["{}", r#"{"choices":[]}"#, r#"{"choices":[{"finish_reason":""}]}"#] {
        check_whole(api, nothing, &["cut"]);
    }
}

#[test]
fn error_in_a_choice_fails_the_answer() {
    let error = r#"{"choices":[{"delta":{"content":""},"finish_reason":"error",
        "error":{"code":502,"message":"upstream"}}]}"#;
    check(api, &[error], &["overload"]);
    check(api, &[r#"{"choices":[{"delta":{"content":"a"}}]}"#, error, STOP], &["a", "overload"]);
    let limited = r#"{"choices":[{"error":{"code":429,"message":"slow"}}]}"#;
    check_whole(api, limited, &["rate"]);
}

#[test]
fn leading_thought_is_reasoning() {
    fn tagged() -> Box<dyn EventReader> {
        Box::new(super::ChatReader::new(InlineReasoning::Tagged, &Default::default()))
    }
    fn opened() -> Box<dyn EventReader> {
        Box::new(super::ChatReader::new(InlineReasoning::Opened, &Default::default()))
    }
    let chunk = |text: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    let stream = |new: New, text: &[&str], given: &[&str]| {
        let events: Vec<_> = text.iter().map(|text| chunk(text)).collect();
        let events: Vec<_> = events.iter().map(String::as_str).chain([STOP]).collect();
        check(new, &events, given);
    };
    let pieces = ["\\n<th", "ink>h", "m</t", "hink>\\n", "\\n§end", "<think>"];
    stream(tagged, &pieces, &["~h", "~m", "§end", "<think>", "Stop"]);
    stream(tagged, &["<think"], &["<think", "Stop"]);
    stream(tagged, &["<think>a</thin"], &["~a", "~</thin", "Stop"]);
    stream(opened, &["hm</th", "ink>§end"], &["~hm", "§end", "Stop"]);
    // By default thoughts stay in the text, because a dialect may have these tags, too.
    stream(api, &["<think>hm</think>a"], &["<think>hm</think>a", "Stop"]);
    let whole =
        r#"{"choices":[{"message":{"content":"<think>hm</think>a"},"finish_reason":"stop"}]}"#;
    check_whole(tagged, whole, &["~hm", "a", "Stop"]);
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
fn last_usage_is_emitted_once_before_the_end() {
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
fn finish_reasons_are_mapped() {
    for (reason, finish) in [
        ("stop", "Stop"),
        ("length", "Length"),
        ("content_filter", "Filter"),
        ("STOP", "Stop"),
        ("eos", "Stop"),
        ("tool_calls", "ToolUse"),
        ("function_call", "ToolUse"),
        ("model_length", "Length"),
        ("sensitive", "Filter"),
        ("error", "overload"),
        ("network_error", "overload"),
        ("insufficient_system_resource", "overload"),
        ("abort", "cut"),
        ("new", "malformed"),
    ] {
        let chunk = format!(r#"{{"choices":[{{"finish_reason":"{reason}"}}]}}"#);
        check(api, &[&chunk], &[finish]);
        check_whole(api, &chunk, &[finish]);
    }
    check(api, &[r#"{"choices":[{"delta":{"refusal":"no"}}]}"#, STOP], &["no", "Filter"]);
    // A later word does not replace a failure.
    check(api, &[r#"{"choices":[{"finish_reason":"error"}]}"#, STOP], &["overload"]);
}

#[test]
fn trailing_half_character_is_replaced_in_complete_answers() {
    let half = r#"{"choices":[{"delta":{"content":"\ud83d"}}]}"#;
    check(api, &[half, STOP], &["\u{FFFD}", "Stop"]);
    check(api, &[half], &["cut"]);
}

#[test]
fn wrong_shapes_are_malformed() {
    for wrong in ["1", "[]", "text", r#"{"choices":1}"#] {
        check(api, &[wrong, STOP], &["malformed"]);
    }
    check(api, &[STOP, "text"], &["malformed"]);
}

fn with_tools() -> Box<dyn EventReader> {
    Box::new(super::ChatReader::new(InlineReasoning::None, &declared()))
}

const CALLED: &str = r#"{"choices":[{"finish_reason":"tool_calls"}]}"#;

#[test]
fn calls_arrive_in_pieces_by_index() {
    let events = [
        r#"{"choices":[{"delta":{"role":"assistant","content":"I look."}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"docs_search_66b0a0fe","arguments":"{}"}}]}}]}"#,
        CALLED,
    ];
    let name = declared()[1].vendor_name().into_owned();
    let events = events.map(|event| event.replace("docs_search_66b0a0fe", &name));
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let deltas =
        ["I look.", "look#c1(", "{\"path\"", ":1}", ")", "docs.search#c2(", "{}", ")", "ToolUse"];
    check(with_tools, &events, &deltas);
    check_cuts(with_tools, &events);
    // Without declared tools there are no calls.
    check(api, &events, &["I look.", "ToolUse"]);
}

#[test]
fn calls_of_servers_with_odd_indexes_and_ids() {
    let call = |index: &str, id: &str, name: &str, args: &str| {
        let arguments = serde_json::to_string(args).unwrap();
        format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{{index}{id}"function":{{{name}"arguments":{arguments}}}}}]}}}}]}}"#
        )
    };
    let named = r#""name":"look","#;
    for (events, deltas) in [
        // The index 0 for all.
        (
            [
                call(r#""index":0,"#, r#""id":"a","#, named, "{}"),
                call(r#""index":0,"#, r#""id":"b","#, named, "{}"),
            ],
            &["look#a(", "{}", ")", "look#b(", "{}", ")", "ToolUse"][..],
        ),
        // No index.
        (
            [call("", r#""id":"a","#, named, "{}"), call("", r#""id":"b","#, named, "{}")],
            &["look#a(", "{}", ")", "look#b(", "{}", ")", "ToolUse"],
        ),
        // Id and name with each piece.
        (
            [
                call(r#""index":0,"#, r#""id":"a","#, named, "{"),
                call(r#""index":0,"#, r#""id":"a","#, named, "}"),
            ],
            &["look#a(", "{", "}", ")", "ToolUse"],
        ),
        // The arguments before the name.
        (
            [call(r#""index":0,"#, "", "", "{}"), call(r#""index":0,"#, r#""id":"a","#, named, "")],
            &["look#a(", "{}", ")", "ToolUse"],
        ),
        // No id at all.
        (
            [call(r#""index":0,"#, "", named, "{"), call(r#""index":0,"#, "", "", "}")],
            &["look#(", "{", "}", ")", "ToolUse"],
        ),
    ] {
        check(with_tools, &[&events[0], &events[1], CALLED], deltas);
    }
    // A piece for a call that has ended.
    let late = [
        call(r#""index":0,"#, r#""id":"a","#, named, "{"),
        call(r#""index":1,"#, r#""id":"b","#, named, "{}"),
        call(r#""index":0,"#, "", "", "}"),
    ];
    let deltas = ["look#a(", "{", ")", "look#b(", "{}", ")", "malformed"];
    check(with_tools, &[&late[0], &late[1], &late[2], CALLED], &deltas);
    // A limit of tokens ends no call.
    let length = r#"{"choices":[{"finish_reason":"length"}]}"#;
    check(with_tools, &[&late[0], length], &["look#a(", "{", "Length"]);
}

#[test]
fn complete_message_has_its_calls() {
    let body = r#"{"choices":[{"message":{"content":null,"tool_calls":[
        {"id":"a","type":"function","function":{"name":"look","arguments":"{\"b\":1}"}},
        {"id":"b","type":"function","function":{"name":"look","arguments":{"c":2}}}]},
        "finish_reason":"tool_calls"}]}"#;
    let deltas = ["look#a(", "{\"b\":1}", ")", "look#b(", "{\"c\":2}", ")", "ToolUse"];
    check_whole(with_tools, body, &deltas);
}
