//! Every capture, replayed byte for byte in chunks of several sizes, gives the result in its index.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use silcrow_provider::{ErrorKind, FinishReason};

use crate::server::{Given, Server, ask, write};
use crate::wire::Api;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures")
}

pub(crate) fn index() -> Vec<Value> {
    let index = fs::read_to_string(folder().join("INDEX.jsonl")).unwrap();
    index.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn captures_parse_as_their_index_says() {
    let mut seen = 0;
    for entry in index() {
        let file = entry["file"].as_str().unwrap();
        let bytes = fs::read(folder().join(file)).unwrap();
        let api = Api::from_capture(file);
        let asked = AtomicUsize::new(0);
        let server = Server::start(move |mut socket| {
            let at = asked.fetch_add(1, Ordering::Relaxed);
            write(&mut socket, &bytes, SIZES[at % SIZES.len()]);
        });
        // Each asks over a separate connection: the server closes them, whatever its answer says.
        for size in SIZES {
            let given = ask(&*api.model(&server), true).await;
            check(&format!("{file} by {size}"), &entry["expect"], given);
            seen += 1;
        }
        let given = ask(&*api.model(&server), false).await;
        check(&format!("{file}, asked for whole"), &entry["expect"], given);
    }
    assert_eq!(seen, 47 * SIZES.len());
}

fn check(case: &str, expect: &Value, given: Given) {
    let text = expect["text"].as_str().unwrap_or_default();
    assert_eq!(given.text, text, "{case}");
    let expected = usage(&expect["usage"]).filter(|tokens| *tokens != (0, 0, 0));
    assert_eq!(given.usage, expected, "{case}");
    match expect["outcome"].as_str().unwrap() {
        "complete" => {
            let finish = match expect["finish"].as_str().unwrap() {
                "stop" | "end_turn" | "completed" | "STOP" => FinishReason::Stop,
                "length" | "max_tokens" | "incomplete" | "MAX_TOKENS" => FinishReason::Length,
                other => panic!("{case} ends with {other}"),
            };
            assert_eq!(given.finish, Some(finish), "{case}: {:?}", given.error);
        }
        "truncated" => assert_eq!(given.failed().kind(), ErrorKind::Cut, "{case}"),
        "http_error" => {
            let error = given.failed();
            let kind = match (expect["status"].as_u64().unwrap(), &expect["error"]["type"]) {
                (400, kind) if kind == "exceed_context_size_error" => ErrorKind::ContextTooLong,
                (400, _) => ErrorKind::Refused,
                (401, _) => ErrorKind::Auth,
                (429, _) => ErrorKind::Rate,
                (other, _) => panic!("{case} has the status {other}"),
            };
            assert_eq!(error.kind(), kind, "{case}");
            let wait = expect["retry-after"].as_str().map(|wait| wait.parse().unwrap());
            assert_eq!(error.retry_after(), wait.map(Duration::from_secs), "{case}");
            let message = expect["error"]["message"].as_str().unwrap();
            assert!(error.to_string().contains(message), "{case}: {error}");
        }
        other => panic!("{case} has the outcome {other}"),
    }
}

/// Input, output and cached tokens, however an API counts and names them.
pub(crate) fn usage(usage: &Value) -> Option<(u64, u64, u64)> {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64);
    let within = |outer: &str, name: &str| usage.get(outer)?.get(name)?.as_u64();
    let input = ["prompt_tokens", "input_tokens", "promptTokenCount"];
    let output = ["completion_tokens", "output_tokens", "candidatesTokenCount"];
    let beside = count("cache_read_input_tokens");
    let cached = within("prompt_tokens_details", "cached_tokens")
        .or_else(|| within("input_tokens_details", "cached_tokens"))
        .or(beside);
    let input = input.into_iter().find_map(count)? + beside.unwrap_or(0);
    Some((input, output.into_iter().find_map(count).unwrap(), cached.unwrap_or(0)))
}

/// Bytes that are written at once.
const SIZES: [usize; 4] = [1, 7, 64, usize::MAX];
