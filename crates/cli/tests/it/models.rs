//! A real HTTP server's answers, byte for byte, and cut at every byte.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use silcrow_agent::{Agent, Ending, ErrorKind};
use silcrow_event::Event;
use silcrow_exec::Cancel;
use silcrow_provider::ErrorKind as Kind;
use silcrow_store::{Memory, Store as _};
use silcrow_vendors::Chat;

use crate::support::House;

fn capture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures");
    std::fs::read(format!("{folder}/chat.{name}.http")).unwrap()
}

/// Plays the answers to one connection each, in pieces of `chunk` bytes, and ends.
fn server(answers: Vec<Vec<u8>>, chunk: usize) -> (SocketAddr, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let play = move || {
        let mut requests = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            requests.push(request(&mut stream));
            stream.set_nodelay(true).unwrap();
            for piece in answer.chunks(chunk) {
                // The client may hang up as soon as it has read enough.
                if stream.write_all(piece).is_err() {
                    break;
                }
            }
        }
        requests
    };
    (address, thread::spawn(play))
}

/// The whole request: its head, and as much body as it says.
fn request(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        let len = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..len]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length:").map(str::to_owned)
        });
        let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
        if body.len() >= length || len == 0 {
            return text;
        }
    }
}

fn model(address: SocketAddr) -> String {
    format!("compatible:http://{address}#gemma3-270m")
}

#[test]
fn a_recorded_answer_is_answered() {
    for chunk in [1, 7, 64, usize::MAX] {
        let house = House::new();
        let (address, played) = server(vec![capture("proto_call")], chunk);
        let said =
            house.silcrow(&["run", "What files are here?", "--model", &model(address), "--json"]);
        said.ends(0);
        assert_eq!(said.types(), ["user", "respond", "metric", "end"], "by {chunk}");
        let events = said.events();
        assert_eq!(events[1]["content"], "The current directory has 1 file: guide.md.");
        let step = &events[2]["step"];
        assert_eq!(
            (&step["input"], &step["output"], &step["cached"]),
            (&277.into(), &19.into(), &266.into())
        );
        let request = &played.join().unwrap()[0];
        assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
        assert!(
            request.contains("What files are here?") && request.contains("\"role\":\"system\"")
        );
    }
}

#[test]
fn other_recorded_answers_end_as_they_should() {
    let ends = |name: &str, code: i32, word: &str| {
        let house = House::new();
        let (address, played) = server(vec![capture(name)], usize::MAX);
        let said = house.silcrow(&["run", "go", "--model", &model(address), "--store", "memory"]);
        said.ends(code);
        assert!(
            said.out.contains(word) || said.err.contains(word),
            "{name}: {}{}",
            said.out,
            said.err
        );
        assert!(!said.err.contains("panicked"));
        played.join().unwrap();
    };
    ends("unicode_forced", 0, "東京 🗼");
    ends("max_tokens", 1, "length");
    ends("unauthorized_401", 1, "key");
    ends("context_overflow_400", 1, "context");
    ends("no_usage_asked", 0, "README.md");
}

#[test]
fn a_recorded_call_runs_and_its_result_goes_back() {
    let house = House::new();
    std::fs::write(house.root().join("potato.txt"), "").unwrap();
    let answers = vec![capture("crlf_forced"), capture("proto_respond_cached_prefix")];
    let (address, played) = server(answers, 64);
    let said =
        house.silcrow(&["run", "What files are here?", "--model", &model(address), "--json"]);
    let types =
        ["user", "think", "call", "execute", "result", "metric", "respond", "metric", "end"];
    assert_eq!(said.ends(0).types(), types);
    let requests = played.join().unwrap();
    assert!(requests[1].contains("§result: potato.txt"), "{}", requests[1]);
}

/// The model of each API, the variables of its vendor, what its head holds, and a small answer.
const APIS: [(&str, &str, &str, &str); 4] = [
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
];

fn streamed(data: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    format!("{head}data: {data}\n\n").into_bytes()
}

fn busy(headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 429 Slow\r\n{headers}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

#[test]
fn every_vendor_is_asked_by_its_own_key_at_the_server_that_is_named() {
    for (model, vendor, path, answer) in APIS {
        let house = House::new();
        let (address, played) = server(vec![streamed(answer)], 7);
        let output = house
            .command(&["run", "hi", "--model", model, "--store", "memory"])
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
fn a_used_up_key_is_followed_by_the_next_and_a_wait_is_obeyed_or_told() {
    let run = |answers: Vec<Vec<u8>>, set: &dyn Fn(&mut Command)| {
        let house = House::new();
        let (address, played) = server(answers, usize::MAX);
        let mut command = house.command(&["run", "hi", "--model", "openai:m", "--store", "memory"]);
        set(command.env("OPENAI_BASE_URL", format!("http://{address}")));
        let output = command.stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!told.contains("sk-"), "{told}");
        let keys = played.join().unwrap().into_iter().map(|request| {
            let (_, key) = request.split_once("Bearer ").unwrap();
            key.split("\r\n").next().unwrap().to_owned()
        });
        (output.status.code(), told, keys.collect::<Vec<_>>())
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
    let (code, told, keys) = run(vec![busy("Retry-After: 300")], &one);
    assert_eq!((code, keys.len()), (Some(1), 1));
    assert!(told.contains("429") && told.contains("it asks to wait 300 s"), "{told}");
}

#[test]
fn a_recorded_run_is_run_again_without_the_model_and_holds_no_key() {
    let house = House::new();
    std::fs::write(house.root().join("notes.txt"), "the key is sk-canary").unwrap();
    let call = r#"§call: {\"name\": \"file_read\", \"args\": {\"file\": \"notes.txt\"}}\n§execute"#;
    let call = streamed(&APIS[2].3.replace(r"§respond: hello\n§end", call));
    let (address, played) = server(vec![call, streamed(APIS[2].3)], usize::MAX);
    let file = house.path("recording");
    let run = |model: &str, prompt: &str| {
        let args = ["run", prompt, "--model", model, "--store", "memory", "--json"];
        let mut command = house.command(&args);
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
    let (code, first, told) = run("openai:m", "hi");
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(played.join().unwrap().len(), 2);
    let recording = std::fs::read_to_string(&file).unwrap();
    assert_eq!(recording.lines().count(), 2);
    assert!(recording.contains("the key is [secret]"), "{recording}");
    assert!(!recording.contains("canary"), "{recording}");
    let mode = std::fs::metadata(&file).unwrap().permissions();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);

    let replay = format!("replay:{}", file.display());
    let (code, again, told) = run(&replay, "hi");
    assert_eq!((code, again), (Some(0), first), "{told}");
    let (code, _, told) = run(&replay, "ho");
    assert_eq!(code, Some(1));
    assert!(told.contains("has `ho` where `hi` was recorded"), "{told}");
}

#[test]
fn what_is_set_wrong_is_told() {
    let house = House::new();
    for (model, variable, value, words) in [
        ("anthropic:m", "ANTHROPIC_VERSION", "2024-01-01", "2026-10-21"),
        ("anthropic:m", "ANTHROPIC_BASE_URL", "ftp://h", "http"),
        ("gemini:m", "GEMINI_API_KEY_FILE", "/no/such", "/no/such"),
        ("openai:m", "OPENAI_API_KEY_FILE", "/dev/null", "OPENAI_API_KEY_FILE"),
        ("rehearsal", "SILCROW_RECORD", "/no/such/file", "/no/such/file"),
        ("replay:/dev/null/x", "SILCROW_MODEL", "x", "/dev/null/x"),
    ] {
        let mut command = house.command(&["run", "hi", "--model", model]);
        if !variable.ends_with("FILE") {
            command.env("ANTHROPIC_API_KEY", "sk-canary");
        }
        let output = command.env(variable, value).stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(words) && !told.contains("canary"), "{told}");
    }
}

/// Each prefix of an answer but those that hold its end mark is a cut one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_cut_at_every_byte_is_never_taken_for_a_whole_one() {
    let whole = capture("proto_call");
    let said = "The current directory has 1 file: guide.md.";
    let finish = find(&whole, b"\"finish_reason\":\"stop\"");
    let line_end = finish + find(&whole[finish..], b"\n");
    let (address, played) = {
        let cuts: Vec<_> = (0..whole.len()).map(|cut| whole[..cut].to_vec()).collect();
        server(cuts, usize::MAX)
    };
    let provider = Chat::compatible(&format!("http://{address}"), "m", None).unwrap();
    let provider = Arc::new(provider);
    for cut in 0..whole.len() {
        let store = Arc::new(Memory::new());
        let agent = Agent::new(Arc::clone(&provider), Arc::clone(&store));
        let cancel = Cancel::new();
        let mut ends = 0;
        let mut shown = |output: silcrow_agent::Output<'_>| {
            if let silcrow_agent::Output::Event(entry) = output
                && entry.event == Event::End
            {
                ends += 1;
            }
        };
        let run = agent.run("c", "go", &cancel, &mut shown);
        let ended = tokio::time::timeout(Duration::from_secs(20), run).await.expect("no hang");
        let stored = store.read("c", 1..=9).await.unwrap();
        let answer: String = stored
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Respond(respond) => Some(respond.content.as_str()),
                _ => None,
            })
            .collect();
        match ended {
            Ok(ending) => {
                assert_eq!((ending, ends), (Ending::Answered, 1));
                assert!(cut >= line_end, "cut at {cut} of {line_end}");
                assert_eq!(answer, said);
            }
            Err(error) => {
                assert!(cut <= line_end + 2, "cut at {cut}: {error}");
                assert_eq!(ends, 0);
                assert!(
                    said.starts_with(&answer)
                        || answer.starts_with(said)
                        || "§respond:".starts_with(&answer),
                    "{answer:?}"
                );
                assert!(
                    matches!(
                        error.kind(),
                        ErrorKind::Provider(Kind::Cut | Kind::Network | Kind::Malformed)
                    ),
                    "cut at {cut}: {:?} {error}",
                    error.kind()
                );
            }
        }
    }
    played.join().unwrap();
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).expect("it is there")
}
