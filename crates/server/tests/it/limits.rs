//! Limits, and requests that are not what they should be.

use std::time::Duration;

use silcrow_provider::ScriptedModel;
use silcrow_server::Options;

use crate::support::{SlowModel, TestServer, block_on};

const WITH_BODY: [&str; 6] = [
    "/login",
    "/conversations/c1/runs",
    "/conversations/c1/stop",
    "/conversations/c1/steer",
    "/conversations/c1/answers",
    "/conversations/c1/fork",
];

#[test]
fn long_and_broken_bodies_are_refused() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("", 1)).await;
        let long = format!("{{\"prompt\":\"{}\"}}", "x".repeat(1 << 20));
        for path in WITH_BODY {
            let reply = server.send("POST", path, &long).await;
            assert_eq!((reply.status, &*reply.code()), (413, "body_too_large"), "{path}");
            for broken in ["{", "[]", "nothing", "{\"prompt\":1,\"run\":1,\"seq\":\"x\"}"] {
                let reply = server.send("POST", path, broken).await;
                assert_eq!((reply.status, &*reply.code()), (400, "malformed"), "{path} {broken}");
            }
        }
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
fn connections_beyond_the_limit_wait() {
    block_on(async {
        let mut options = Options::default();
        options.connections = 1;
        let model = ScriptedModel::parse("", 1);
        let server = TestServer::with(model, options, |agent| agent).await;
        let open = server.events("/events", None).await;
        let mut second = Box::pin(server.send("GET", "/health", ""));
        let wait = Duration::from_millis(50);
        assert!(tokio::time::timeout(wait, &mut second).await.is_err());
        drop(open);
        assert_eq!(second.await.status, 200);
    });
}

#[test]
fn a_silent_stream_says_that_it_lives() {
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
