//! Every vendor's model by its name, its keys and its server; runs that are recorded and replayed.

use std::process::{Command, Stdio};

use crate::server::play;
use crate::support::Sandbox;

/// The model of each API, the variables of its vendor, a part of its head, and a small answer.
const APIS: [(&str, &str, &str, &str); 5] = [
    (
        "anthropic:m",
        "ANTHROPIC",
        "POST /v1/messages ",
        r#"{"type":"content_block_delta","delta":{"text":"§respond: hello\n§end"}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
    ),
    (
        "gemini:m",
        "GEMINI",
        "POST /v1/models/m:streamGenerateContent?alt=sse ",
        r#"{"candidates":[{"content":{"parts":[{"text":"§respond: hello\n§end"}]},
data: "finishReason":"STOP"}]}"#,
    ),
    (
        "openai:m",
        "OPENAI",
        "POST /v1/chat/completions ",
        r#"{"choices":[{"delta":{"content":"§respond: hello\n§end"},"finish_reason":"stop"}]}"#,
    ),
    (
        "openai-responses:m",
        "OPENAI",
        "POST /v1/responses ",
        r#"{"type":"response.output_text.delta","delta":"§respond: hello\n§end"}

data: {"type":"response.completed"}"#,
    ),
    (
        "gemini-interactions:m",
        "GEMINI",
        "POST /v1/interactions ",
        r#"{"event_type":"step.delta","delta":{"type":"text","text":"§respond: hello\n§end"}}

data: {"event_type":"interaction.completed"}"#,
    ),
];

fn streamed(data: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    format!("{head}data: {data}\n\n").into_bytes()
}

fn busy(headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 429 Slow\r\n{headers}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .into_bytes()
}

#[test]
fn each_vendor_gets_its_key_at_its_server() {
    for (model, vendor, path, answer) in APIS {
        let sandbox = Sandbox::new();
        let (address, played) = play(vec![streamed(answer)], 7);
        let output = sandbox
            .command(&["run", "hi", "--model", model, "--mode", "replay", "--store", "memory"])
            .env(format!("{vendor}_API_KEY"), "sk-canary")
            .env(format!("{vendor}_BASE_URL"), format!("http://{address}"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "hello\n", "{model}");
        let request = &played.join().unwrap()[0];
        assert!(request.starts_with(path), "{request}");
        assert!(request.contains("sk-canary"), "{request}");
    }
}

#[test]
fn exhausted_keys_rotate_and_waits_are_obeyed() {
    let run = |answers: Vec<Vec<u8>>, set: &dyn Fn(&mut Command)| {
        let sandbox = Sandbox::new();
        let (address, played) = play(answers, usize::MAX);
        let mut command =
            sandbox.command(&["run", "hi", "--model", "openai:m", "--store", "memory"]);
        set(command.env("OPENAI_BASE_URL", format!("http://{address}")));
        let output = command.stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("sk-"), "{stderr}");
        let keys = played.join().unwrap().into_iter().map(|request| {
            let (_, key) = request.split_once("Bearer ").unwrap();
            key.split("\r\n").next().unwrap().to_owned()
        });
        (output.status.code(), stderr, keys.collect::<Vec<_>>())
    };
    let answer = || streamed(APIS[2].3);
    let two = |command: &mut Command| {
        command.env("OPENAI_API_KEY", "sk-one, sk-two");
    };
    let now = || busy("Retry-After: 0");
    let (code, _, keys) = run(vec![now(), answer()], &two);
    assert_eq!((code, keys), (Some(0), vec!["sk-one".to_owned(), "sk-two".to_owned()]));

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "sk-one\n\nsk-two\n").unwrap();
    let file = |command: &mut Command| {
        command.env("OPENAI_API_KEY_FILE", file.path());
    };
    let (code, _, keys) = run(vec![now(), now(), answer()], &file);
    let expected = ["sk-one", "sk-two", "sk-one"].map(str::to_owned);
    assert_eq!((code, &keys[..]), (Some(0), &expected[..]));

    let one = |command: &mut Command| {
        command.env("OPENAI_API_KEY", "sk-one");
    };
    let (code, stderr, keys) = run(vec![busy("Retry-After: 300")], &one);
    assert_eq!((code, keys.len()), (Some(1), 1));
    assert!(stderr.contains("429") && stderr.contains("it asks to wait 300 s"), "{stderr}");
}

#[test]
fn recorded_run_replays_offline_and_holds_no_key() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("notes.txt"), "the key is sk-canary").unwrap();
    let call = r#"§call: {\"name\": \"file_read\", \"args\": {\"file\": \"notes.txt\"}}\n§execute"#;
    let call = streamed(&APIS[2].3.replace(r"§respond: hello\n§end", call));
    let (address, played) = play(vec![call, streamed(APIS[2].3)], usize::MAX);
    let file = sandbox.path("recording");
    let run = |model: &str, prompt: &str| {
        let args = ["run", prompt, "--model", model, "--store", "memory", "--json"];
        let mut command = sandbox.command(&args);
        command.env("OPENAI_API_KEY", "sk-canary").stdin(Stdio::null());
        if model == "openai:m" {
            command.env("OPENAI_BASE_URL", format!("http://{address}"));
            command.env("SILCROW_RECORD", &file);
        }
        let output = command.output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        let events = lines.lines().map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            (event["type"].as_str().unwrap().to_owned(), event["content"].clone())
        });
        (output.status.code(), events.collect::<Vec<_>>(), lines)
    };
    let (code, first, stderr) = run("openai:m", "hi");
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(played.join().unwrap().len(), 2);
    let recording = std::fs::read_to_string(&file).unwrap();
    assert_eq!(recording.lines().count(), 2);
    assert!(recording.contains("the key is [secret OPENAI_API_KEY]"), "{recording}");
    assert!(!recording.contains("canary"), "{recording}");
    let mode = std::fs::metadata(&file).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);

    let replay = format!("replay:{}", file.display());
    let (code, again, stderr) = run(&replay, "hi");
    assert_eq!((code, again), (Some(0), first), "{stderr}");
    let (code, _, stderr) = run(&replay, "ho");
    assert_eq!(code, Some(1));
    assert!(stderr.contains("has `ho` where `hi` was recorded"), "{stderr}");
}

#[test]
fn session_sends_only_the_tool_result() {
    for mode in ["resume", "auto"] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.root().join("notes.txt"), "wood").unwrap();
        let call =
            r#"§call: {\"name\": \"file_read\", \"args\": {\"file\": \"notes.txt\"}}\n§execute\n"#;
        let answer = |id: &str, text: &str| {
            streamed(&format!(
                r#"{{"event_type":"step.delta","delta":{{"type":"text","text":"{text}"}}}}

data: {{"event_type":"interaction.completed","interaction":{{"id":"{id}","status":"completed"}}}}"#
            ))
        };
        let answers = vec![answer("i1", call), answer("i2", r"§respond: hello\n§end")];
        let (address, played) = play(answers, usize::MAX);
        let args = ["run", "hi", "--model", "gemini-interactions:m", "--mode", mode, "--json"];
        let output = sandbox
            .command(&args)
            .env("GEMINI_API_KEY", "sk-canary")
            .env("GEMINI_BASE_URL", format!("http://{address}"))
            .env("SILCROW_RECORD", sandbox.path("recording"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{lines}");
        assert_eq!(lines.matches(r#""type":"result""#).count(), 1, "{lines}");
        // The recording says it again in the same mode, and not in another.
        let model = format!("replay:{}", sandbox.path("recording").display());
        let again = sandbox.silcrow(&["run", "hi", "--model", &model, "--mode", mode, "--json"]);
        let types = |lines: &str| -> Vec<String> {
            let types = lines.lines().map(|line| {
                let event: serde_json::Value = serde_json::from_str(line).unwrap();
                event["type"].as_str().unwrap().to_owned()
            });
            types.collect()
        };
        assert_eq!(types(&again.ends(0).out), types(&lines));
        let other = sandbox.silcrow(&["run", "hi", "--model", &model, "--mode", "replay"]);
        assert!(other.ends(1).err.contains("recorded in another mode"), "{}", other.err);
        let requests = played.join().unwrap();
        let sent = |request: &str| -> serde_json::Value {
            serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
        };
        assert_eq!(sent(&requests[0])["store"], true);
        let next = sent(&requests[1]);
        assert_eq!(next["previous_interaction_id"], "i1");
        assert_eq!(next["input"].as_array().unwrap().len(), 1, "{next}");
        assert!(next["input"].to_string().contains("wood"), "{next}");
    }
}

#[test]
fn invalid_vendor_settings_are_explained() {
    let sandbox = Sandbox::new();
    for (model, variable, value, words) in [
        ("anthropic:m", "ANTHROPIC_VERSION", "2024-01-01", "2026-10-21"),
        ("anthropic:m", "ANTHROPIC_BASE_URL", "ftp://h", "http"),
        ("gemini:m", "GEMINI_API_KEY_FILE", "/no/such", "/no/such"),
        ("openai:m", "OPENAI_API_KEY_FILE", "/dev/null", "OPENAI_API_KEY_FILE"),
        ("rehearsal", "SILCROW_RECORD", "/no/such/file", "/no/such/file"),
        ("replay:/dev/null/x", "SILCROW_MODEL", "x", "/dev/null/x"),
    ] {
        let mut command = sandbox.command(&["run", "hi", "--model", model]);
        if !variable.ends_with("FILE") {
            command.env("ANTHROPIC_API_KEY", "sk-canary");
        }
        let output = command.env(variable, value).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(words) && !stderr.contains("canary"), "{stderr}");
    }
}
