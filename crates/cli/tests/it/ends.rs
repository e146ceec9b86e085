//! An answer that ends badly starts none of its pending calls, from any API.

use std::process::Stdio;

use crate::server::play;
use crate::support::Sandbox;

/// A model, its vendor, its answer with the end to fill in, a good end, and bad ones.
struct Case {
    model: &'static str,
    vendor: &'static str,
    answer: fn(&str, &str) -> String,
    good: &'static str,
    bad: &'static [&'static str],
}

const CASES: [Case; 5] = [
    Case {
        model: "openai:m",
        vendor: "OPENAI",
        answer: |text, end| {
            format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":"{end}"}}]}}"#)
        },
        good: "stop",
        bad: &["error", "network_error", "insufficient_system_resource", "abort", "new_word"],
    },
    Case {
        model: "anthropic:m",
        vendor: "ANTHROPIC",
        answer: |text, end| {
            format!(
                r#"{{"type":"content_block_delta","delta":{{"text":"{text}"}}}}

data: {{"type":"message_delta","delta":{{"stop_reason":"{end}"}}}}"#
            )
        },
        good: "end_turn",
        bad: &["pause_turn", "new_word"],
    },
    Case {
        model: "openai-responses:m",
        vendor: "OPENAI",
        answer: |text, end| {
            format!(
                r#"{{"type":"response.output_text.delta","delta":"{text}"}}

data: {{"type":"response.completed","response":{{"status":"{end}"}}}}"#
            )
        },
        good: "completed",
        bad: &["cancelled", "queued", "in_progress", "new_word"],
    },
    Case {
        model: "gemini:m",
        vendor: "GEMINI",
        answer: |text, end| {
            let content = format!(r#"{{"parts":[{{"text":"{text}"}}]}}"#);
            format!(r#"{{"candidates":[{{"content":{content},"finishReason":"{end}"}}]}}"#)
        },
        good: "STOP",
        bad: &[
            "MALFORMED_RESPONSE",
            "MALFORMED_FUNCTION_CALL",
            "OTHER",
            "UNEXPECTED_TOOL_CALL",
            "NEW_WORD",
        ],
    },
    Case {
        model: "gemini-interactions:m",
        vendor: "GEMINI",
        answer: |text, end| {
            format!(
                r#"{{"event_type":"step.delta","delta":{{"type":"text","text":"{text}"}}}}

data: {{"event_type":"interaction.completed","interaction":{{"id":"i","status":"{end}"}}}}"#
            )
        },
        good: "completed",
        bad: &["cancelled", "budget_exceeded", "new_word"],
    },
];

/// A call without an execution point, which a whole answer would run anyway.
const CALL: &str =
    r#"§call: {\"name\": \"file_write\", \"args\": {\"file\": \"f.txt\", \"content\": \"x\"}}\n"#;

const ANSWER: &str = r"§respond: done\n§end";

/// Runs the model with these answers. Returns the exit code, the output, and whether the file
/// exists.
fn run(case: &Case, answers: [String; 4]) -> (Option<i32>, String, bool) {
    let sandbox = Sandbox::new();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let answers = answers.map(|data| format!("{head}data: {data}\n\n").into_bytes());
    let (address, _) = play(answers.into(), usize::MAX);
    let mode = ["--mode", "replay", "--store", "memory", "--allow", "file_write"];
    let output = sandbox
        .command(&[&["run", "go", "--model", case.model][..], &mode].concat())
        .env(format!("{}_API_KEY", case.vendor), "sk-canary")
        .env(format!("{}_BASE_URL", case.vendor), format!("http://{address}"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), stderr, sandbox.root().join("f.txt").exists())
}

#[test]
fn pending_calls_run_only_after_a_good_end() {
    for case in &CASES {
        let of = |text, end| (case.answer)(text, end);
        let good = || of(ANSWER, case.good);
        let (code, stderr, written) = run(case, [of(CALL, case.good), good(), good(), good()]);
        assert_eq!((code, written), (Some(0), true), "{}: {stderr}", case.model);
        for end in case.bad {
            let (code, stderr, written) = run(case, [0; 4].map(|_| of(CALL, end)));
            assert!(!written, "{}, {end}: {stderr}", case.model);
            assert_eq!(code, Some(1), "{}, {end}: {stderr}", case.model);
            assert!(stderr.contains(&format!("`{end}`")), "{}: {stderr}", case.model);
        }
    }
}

#[test]
fn filtered_or_truncated_answers_run_nothing() {
    for (case, end) in [
        (&CASES[0], "sensitive"),
        (&CASES[0], "model_length"),
        (&CASES[3], "MODEL_ARMOR"),
        (&CASES[3], "IMAGE_SAFETY"),
    ] {
        let (code, stderr, written) = run(case, [0; 4].map(|_| (case.answer)(CALL, end)));
        assert_eq!((code, written), (Some(1), false), "{end}: {stderr}");
    }
}

#[test]
fn leaked_thought_is_excluded_from_the_answer() {
    let contents = |dialect: &str, kind: &str, text: &str| {
        let sandbox = Sandbox::new();
        let content =
            format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let (address, _) = play(vec![format!("{head}data: {content}\n\n").into_bytes()], 7);
        let model = format!("compatible:http://{address}#m");
        let args = ["run", "go", "--model", &model, "--dialect", dialect, "--store", "memory"];
        let said = sandbox.silcrow(&[&args[..], &["--json"]].concat());
        said.ends(0);
        let of = |kind: &str| {
            let events = said.events().into_iter().filter(|event| event["type"] == kind);
            events.map(|event| event["content"].as_str().unwrap().to_owned()).collect::<String>()
        };
        (of(kind), of("respond"))
    };
    let call = r#"<think>\n§call: {\"name\": \"file_list\"}\n§execute\n</think>\n\n"#;
    let (calls, answer) = contents("sigil", "call", &format!(r"{call}§respond: hello\n§end"));
    assert_eq!((&*calls, answer.trim()), ("", "hello"));
    // The dialect with these tags reads them itself.
    let (think, answer) = contents("phase", "think", "<think>hm</think>hello<end>");
    assert_eq!((think.trim(), answer.trim()), ("hm", "hello"));
}
