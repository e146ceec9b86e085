//! Limits, and malformed requests.

use std::time::Duration;

use serde_json::Value;
use silcrow_provider::ScriptedModel;
use silcrow_server::Options;

use crate::support::{SlowModel, TestServer, block_on};

#[test]
fn every_endpoint_refuses_broken_bodies() {
    block_on(async {
        let mut options = Options::default();
        options.body = 1 << 20;
        let model = ScriptedModel::parse("", 1);
        let server = TestServer::with(model, options, |agent| agent).await;
        let long = format!("{{\"prompt\":\"{}\"}}", "x".repeat(1 << 20));
        let described = server.send_raw("GET", "/openapi.json", "", "").await.json();
        let mut count = 0;
        for (path, methods) in described["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                if operation["requestBody"] == Value::Null {
                    continue;
                }
                let (method, path) = (method.to_uppercase(), path.replace("{id}", "c1"));
                let reply = server.send(&method, &path, &long).await;
                assert_eq!((reply.status, &*reply.code()), (413, "body_too_large"), "{path}");
                let deep = "[".repeat(100_000);
                let deep_member = format!("{{\"messages\":{deep}");
                for broken in [
                    "{",
                    "[]",
                    "nothing",
                    "null",
                    "\u{0}",
                    "{\"prompt\":1,\"run\":1,\"seq\":\"x\",\"id\":1,\"model\":1,\"input\":1}",
                    &deep,
                    &deep_member,
                ] {
                    let reply = server.send(&method, &path, broken).await;
                    assert_eq!(reply.status, 400, "{path} {broken:.20}: {reply:?}");
                    assert!(reply.body.len() < 1_000, "{path} {broken:.20}: {reply:?}");
                }
                count += 1;
            }
        }
        assert_eq!(count, 18);
        for path in ["/conversations?limit=x", "/conversations/c1?after=-1"] {
            assert_eq!(server.send("GET", path, "").await.code(), "malformed", "{path}");
        }
        let blank = server.send("POST", "/conversations/c1/runs", r#"{"prompt":"  "}"#).await;
        assert_eq!(blank.code(), "malformed");
        let long = format!("/conversations/{}/runs", "x".repeat(300));
        assert_eq!(server.send("POST", &long, r#"{"prompt":"x"}"#).await.code(), "malformed");
        assert_eq!(server.send("GET", "/nothing", "").await.code(), "not_found");
        assert_eq!(server.send("PUT", "/conversations", "").await.code(), "method");
    });
}

#[test]
fn a_long_head_is_refused() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("", 1)).await;
        let headers = format!("x-long: {}\r\n", "x".repeat(17 << 10));
        let reply = server.send_raw("GET", "/health", &headers, "").await;
        assert_eq!((reply.status, &*reply.code()), (431, "head_too_large"));
        // A head that is far too long is not even read.
        let headers = format!("x-long: {}\r\n", "x".repeat(90 << 10));
        assert_eq!(server.send_raw("GET", "/health", &headers, "").await.status, 431);
    });
}

#[test]
fn too_many_runs_are_refused_for_now() {
    block_on(async {
        for (all, of_user, status, code) in [(1, 9, 503, "unavailable"), (9, 1, 429, "too_many")] {
            let (model, _release) = SlowModel::new();
            let mut options = Options::default();
            (options.runs, options.runs_of_user) = (all, of_user);
            options.queue_time = Duration::ZERO;
            let server = TestServer::with(model, options, |agent| agent).await;
            server.start("a", "Go.").await;
            let body = r#"{"prompt":"Go."}"#;
            let reply = server.send("POST", "/conversations/b/runs", body).await;
            assert_eq!((reply.status, &*reply.code()), (status, code));
            assert!(reply.head.contains("retry-after: 1"), "{}", reply.head);
            server.send("POST", "/conversations/a/stop", "").await;
        }
    });
}

#[test]
fn prompt_waits_for_capacity_before_refusal() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let mut options = Options::default();
        (options.runs, options.queued_runs) = (1, 1);
        options.queue_time = Duration::from_secs(600);
        let server = TestServer::with(model, options, |agent| agent).await;
        server.start("a", "Go.").await;
        let second = server.start("b", "Go.");
        tokio::pin!(second);
        let waits = async {
            let queued = || async { server.send("GET", "/metrics", "").await.body };
            while !queued().await.contains("silcrow_queued_runs 1") {}
        };
        tokio::select! {
            _ = &mut second => panic!("there is no place"),
            () = waits => {}
        }
        // The queue is full, too.
        let body = r#"{"prompt":"Go."}"#;
        let reply = server.send("POST", "/conversations/c/runs", body).await;
        assert_eq!((reply.status, &*reply.code()), (503, "unavailable"));
        for piece in ["§respond: Done.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        second.await;
        let numbers = server.send("GET", "/metrics", "").await.body;
        for line in [
            "silcrow_queued_runs 0",
            "silcrow_runs_ended_total{outcome=\"answered\"} 1",
            "silcrow_refused_total{status=\"503\"} 1",
            "silcrow_run_seconds_count 1",
            "silcrow_first_text_seconds_count 1",
            "silcrow_queue_seconds_count 1",
        ] {
            assert!(numbers.lines().any(|one| one == line), "{line}\n{numbers}");
        }
        let tokens = numbers
            .lines()
            .find_map(|one| one.strip_prefix("silcrow_tokens_total{kind=\"output\"} "));
        assert!(tokens.unwrap().parse::<u64>().unwrap() > 0, "{numbers}");
    });
}

#[test]
fn connections_beyond_the_limit_are_refused_for_now() {
    block_on(async {
        let mut options = Options::default();
        options.connections = 1;
        let model = ScriptedModel::parse("", 1);
        let server = TestServer::with(model, options, |agent| agent).await;
        let open = server.events("/events", None).await;
        for path in ["/health", "/conversations", "/v1/models"] {
            let reply = server.send("GET", path, "").await;
            assert_eq!((reply.status, &*reply.code()), (503, "unavailable"), "{path}");
            assert!(reply.head.contains("retry-after: 1"), "{}", reply.head);
            assert!(reply.head.contains("connection: close"), "{}", reply.head);
        }
        drop(open);
        while server.send("GET", "/health", "").await.status != 200 {}
    });
}

#[test]
fn silent_stream_sends_keep_alives() {
    block_on(async {
        let mut options = Options::default();
        options.keep_alive = Duration::from_millis(1);
        let model = ScriptedModel::parse("", 1);
        let server = TestServer::with(model, options, |agent| agent).await;
        let mut socket = tokio::net::TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "GET /events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
            server.token
        );
        tokio::io::AsyncWriteExt::write_all(&mut socket, head.as_bytes()).await.unwrap();
        let mut text = String::new();
        while !text.contains("\n: \n\n") {
            let mut bytes = [0; 1_024];
            let count = tokio::io::AsyncReadExt::read(&mut socket, &mut bytes).await.unwrap();
            assert!(count > 0, "{text}");
            text += &String::from_utf8_lossy(&bytes[..count]);
        }
        assert!(text.contains("retry: 1000\n\n"), "{text}");
    });
}
