use std::time::Duration;

use serde_json::json;
use silcrow_mcp::{McpServers, Options, ServerAddress, ServerConfig};
use silcrow_tool::{CallContext, Scope, ToolArgs};
use tokio::time::timeout;

use crate::{Reached, config, program};

const UNKNOWN: &str = "the outcome of this call is unknown";

/// More than any of these tests needs, so that a hang is a failure.
const NO_HANG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn crashed_server_fails_call_and_serves_next() {
    let reached = Reached::start(&[]).await;
    let why = reached.failure("die").await;
    assert!(why.contains("ended before it answered (exit status: 9)"), "{why}");
    assert!(why.contains("about to die") && why.contains(UNKNOWN), "{why}");
    assert_eq!(reached.text("echo", json!({"text": "again"})).await, "again");
}

#[tokio::test]
async fn only_idempotent_calls_are_resent() {
    let folder = tempfile::tempdir().unwrap();
    let (file, mark) = (folder.path().join("calls"), folder.path().join("mark"));
    let trusted = Reached::with(config(&[]).with_trust(true), Options::default()).await;
    assert_eq!(trusted.text("die_once", json!({"mark": mark})).await, "alive");
    // A server that is not trusted says the same, and is not believed.
    std::fs::remove_file(&mark).unwrap();
    let untrusted = Reached::start(&[]).await;
    let args = json!({"mark": mark, "file": file});
    let why = untrusted.call("die_once", args).await.unwrap_err().to_string();
    assert!(why.contains(UNKNOWN), "{why}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "called\n");
}

#[tokio::test]
async fn frozen_server_times_out_and_is_killed() {
    let config = config(&[]).with_timeout(Duration::from_millis(700));
    let reached = Reached::with(config, Options::default()).await;
    let why = timeout(NO_HANG, reached.failure("freeze")).await.unwrap();
    assert!(why.contains("did not answer in 0.7 s") && why.contains(UNKNOWN), "{why}");
    timeout(NO_HANG, reached.servers.close()).await.unwrap();
}

#[tokio::test]
async fn garbled_answer_times_out_without_killing_server() {
    let config = config(&[]).with_timeout(Duration::from_millis(700));
    let reached = Reached::with(config, Options::default()).await;
    let why = timeout(NO_HANG, reached.failure("garble")).await.unwrap();
    assert!(why.contains(UNKNOWN), "{why}");
    assert_eq!(reached.text("echo", json!({"text": "fine"})).await, "fine");
}

#[tokio::test]
async fn server_start_does_not_consume_call_timeout() {
    let config = config(&["sleeps"]).with_timeout(Duration::from_secs(1));
    let reached = Reached::with(config, Options::default()).await;
    reached.failure("die").await;
    assert_eq!(reached.text("echo", json!({"text": "again"})).await, "again");
}

#[tokio::test]
async fn dropped_call_is_cancelled_at_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes");
    let reached = Reached::start(&[]).await;
    let args = json!({"file": file}).to_string();
    let (tool, context) = (&reached.tools["slow"], CallContext::new(Scope::new("c"), "1"));
    let call = tool.call(ToolArgs::new(&args), &context);
    assert!(timeout(Duration::from_secs(1), call).await.is_err());
    let cancelled = async {
        while !std::fs::read_to_string(&file).is_ok_and(|notes| notes.contains("cancelled")) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(NO_HANG, cancelled).await.unwrap();
}

#[tokio::test]
async fn unusable_servers_delay_nothing() {
    let named = |name: &str, words: &[&str]| {
        let program = program();
        let words = [&*program].into_iter().chain(words.iter().copied());
        ServerConfig::new(name, ServerAddress::command(words)).unwrap()
    };
    let missing = ServerConfig::new("missing", ServerAddress::command(["/nowhere/at-all"]));
    let configs = vec![
        named("deaf", &["deaf"]),
        named("dies", &["dies"]),
        missing.unwrap(),
        named("fine", &[]),
    ];
    let mut options = Options::default();
    options.patience = Duration::from_secs(3);
    let servers = timeout(NO_HANG, McpServers::start(configs, options)).await.unwrap();
    let failures: Vec<_> =
        servers.statuses().into_iter().map(|status| status.failure.unwrap_or_default()).collect();
    assert_eq!(failures[0], "", "it may still answer");
    assert!(failures[1].contains("exit status: 3"), "{failures:?}");
    assert!(failures[1].contains("this server dies at once"), "{failures:?}");
    assert!(failures[2].contains("cannot be started"), "{failures:?}");
    assert_eq!(failures[3], "");
    let tools = servers.tools();
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool.name().starts_with("fine.")));
}

#[tokio::test]
async fn unreachable_server_fails_fast_during_backoff() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("server");
    std::os::unix::fs::symlink(crate::program(), &program).unwrap();
    let address = ServerAddress::command([program.to_str().unwrap()]);
    let config = ServerConfig::new("test", address).unwrap();
    let reached = Reached::with(config, Options::default()).await;
    std::fs::remove_file(&program).unwrap();
    reached.failure("die").await;
    let why = reached.failure("echo").await;
    assert!(why.starts_with("not sent: ") && why.contains("cannot be started"), "{why}");
    let why = reached.failure("echo").await;
    assert!(why.contains("is tried again in 1 s"), "{why}");
    assert!(!reached.servers.statuses()[0].tools.is_empty());
    std::os::unix::fs::symlink(crate::program(), &program).unwrap();
    let answers = async {
        while reached.call("echo", json!({"text": "x"})).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(NO_HANG, answers).await.unwrap();
}

#[tokio::test]
async fn progress_extends_call_only_to_its_limit() {
    let limited = config(&[]).with_timeout(Duration::from_secs(2));
    let reached = Reached::with(limited.clone(), Options::default()).await;
    assert_eq!(reached.text("progress", json!({"times": 20})).await, "done at last");
    let limited = limited.with_progress_timeout(Duration::from_secs(3));
    let reached = Reached::with(limited, Options::default()).await;
    let why = reached.failure("progress").await;
    assert!(why.contains("reported progress for 3 s and did not answer"), "{why}");
    assert!(why.contains("the outcome of this call is unknown"), "{why}");
}

#[tokio::test]
async fn server_slower_than_revision_probe_still_joins() {
    let mut options = Options::default();
    options.patience = Duration::from_secs(60);
    let slow = |ways: &[&str]| config(ways).with_start_timeout(Duration::from_secs(60));
    let both = [slow(&["sleeps_long"]), slow(&["sleeps_long", "modern"])];
    let [own, modern] = both.map(|config| Reached::with(config, options.clone()));
    let (own, modern) = tokio::join!(own, modern);
    for reached in [own, modern] {
        assert_eq!(reached.servers.statuses()[0].failure, None);
        assert_eq!(reached.text("echo", json!({"text": "here"})).await, "here");
    }
}
