//! A server's reports beside an answer: reasoning that goes back, and usage.

use super::{CALLED, STOP, api, with_tools};
use crate::reader::tests::check;

#[test]
fn reasoning_is_returned_with_its_calls() {
    let piece = |delta: &str| format!(r#"{{"choices":[{{"delta":{{{delta}}}}}]}}"#);
    let call = piece(
        r#""tool_calls":[{"index":0,"id":"c1","function":{"name":"look","arguments":"{}"}}]"#,
    );
    for (pieces, shown, kept) in [
        (
            [r#""reasoning_content":"I \ud83d""#, r#""reasoning_content":"\uddfc look.""#],
            &["~I ", "~🗼 look."][..],
            r#"{"reasoning_content":"I 🗼 look."}"#,
        ),
        (
            [r#""reasoning":"I ""#, r#""reasoning":"look.""#],
            &["~I ", "~look."],
            r#"{"reasoning":"I look."}"#,
        ),
        (
            [
                r#""reasoning":"I ","reasoning_details":[{"index":0,"signature":"s","text":"I ","type":"reasoning.text"}]"#,
                r#""reasoning":"look.","reasoning_details":[{"index":0,"signature":null,"text":"look.","type":"reasoning.text"},
                    {"data":"x","index":1,"type":"reasoning.encrypted"}]"#,
            ],
            &["~I ", "~look."],
            r#"{"reasoning_details":[{"index":0,"signature":"s","text":"I look.","type":"reasoning.text"},{"data":"x","index":1,"type":"reasoning.encrypted"}]}"#,
        ),
    ] {
        let [first, second] = pieces.map(piece);
        let kept = format!("^{kept}");
        let deltas = [shown, &[&*kept, "look#c1(", "{}", ")", "ToolUse"]].concat();
        check(with_tools, &[&first, &second, &call, CALLED], &deltas);
        // Without a call, nothing wants it.
        check(with_tools, &[&first, &second, STOP], &[shown, &["Stop"]].concat());
    }
}

#[test]
fn usage_is_read_in_all_its_places() {
    let text = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    for end in [
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":USAGE}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"stop","usage":USAGE}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":USAGE}}"#,
    ] {
        for cached in [
            r#""prompt_tokens_details":{"cached_tokens":3}"#,
            r#""prompt_tokens_details":null,"prompt_cache_hit_tokens":3"#,
            r#""cached_tokens":3"#,
        ] {
            let usage = format!(r#"{{"prompt_tokens":5,"completion_tokens":2,{cached}}}"#);
            check(api, &[text, &end.replace("USAGE", &usage)], &["a", "5/2/3", "Stop"]);
        }
    }
}
