//! A real HTTP server's answers, byte for byte, and cut at every byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use silcrow_agent::{Agent, ErrorKind, RunOutcome};
use silcrow_event::{Event, RunEventRef};
use silcrow_provider::ErrorKind as Kind;
use silcrow_store::{MemoryStore, Store as _};
use silcrow_vendors::Chat;

use crate::server::play;
use crate::support::Sandbox;

fn capture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/captures");
    std::fs::read(format!("{folder}/chat.{name}.http")).unwrap()
}

fn model(address: SocketAddr) -> String {
    format!("compatible:http://{address}#gemma3-270m")
}

#[test]
fn recorded_answer_is_replayed() {
    for chunk in [1, 7, 64, usize::MAX] {
        let sandbox = Sandbox::new();
        let (address, played) = play(vec![capture("proto_call")], chunk);
        let said =
            sandbox.silcrow(&["run", "What files are here?", "--model", &model(address), "--json"]);
        said.ends(0);
        assert_eq!(said.types(), ["user", "respond", "metric", "end", "done"], "by {chunk}");
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
        let sandbox = Sandbox::new();
        let (address, played) = play(vec![capture(name)], usize::MAX);
        let said = sandbox.silcrow(&["run", "go", "--model", &model(address), "--store", "memory"]);
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
fn recorded_call_runs_and_returns_its_result() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("potato.txt"), "").unwrap();
    let answers = vec![capture("crlf_forced"), capture("proto_respond_cached_prefix")];
    let (address, played) = play(answers, 64);
    let said =
        sandbox.silcrow(&["run", "What files are here?", "--model", &model(address), "--json"]);
    let types = [
        "user", "think", "call", "execute", "result", "metric", "respond", "metric", "end", "done",
    ];
    assert_eq!(said.ends(0).types(), types);
    let requests = played.join().unwrap();
    let result =
        r#"{\"tool\":\"file_list\",\"status\":\"success\",\"outcome\":\"1 entry\"}\npotato.txt"#;
    assert!(requests[1].contains(result), "{}", requests[1]);
}

/// A prefix of an answer is a cut one, unless it holds the end mark. The tests of the vendors cut at
/// every byte.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn truncated_answer_is_never_taken_as_complete() {
    let whole = capture("proto_call");
    let said = "The current directory has 1 file: guide.md.";
    let finish = find(&whole, b"\"finish_reason\":\"stop\"");
    let line_end = finish + find(&whole[finish..], b"\n");
    let cuts: Vec<_> =
        (0..whole.len()).filter(|cut| cut % 7 == 0 || cut.abs_diff(line_end) < 100).collect();
    let answers = cuts.iter().map(|cut| whole[..*cut].to_vec()).collect();
    let (address, played) = play(answers, usize::MAX);
    let provider = Chat::compatible(&format!("http://{address}"), "m", None).unwrap();
    let provider = Arc::new(provider);
    for cut in cuts {
        let store = Arc::new(MemoryStore::new());
        // In its only step a run does not ask again.
        let agent = Agent::new(Arc::clone(&provider), Arc::clone(&store)).with_max_steps(1);
        let mut ends = 0;
        let mut shown = |output: RunEventRef<'_>| {
            if let RunEventRef::Entry(entry) = output
                && entry.event == Event::End
            {
                ends += 1;
            }
        };
        let run = agent.run("c", "go", &mut shown);
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
                assert_eq!((ending, ends), (RunOutcome::Answered, 1));
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
