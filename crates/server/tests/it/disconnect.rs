//! Clients of all protocols that leave: the run continues, or is stopped if they ask for it.

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::support::{SlowModel, TestServer, block_on};

/// The requests that begin a run in the conversation `c1`, each at its address.
fn requests() -> Vec<(&'static str, String)> {
    let user = json!({ "id": "m1", "role": "user", "content": "Go." });
    let parts = json!([{ "type": "text", "text": "Go." }]);
    let part = json!({ "id": "m1", "role": "user", "parts": parts });
    vec![
        ("/api/chat?ai=7", json!({ "id": "c1", "messages": [part] }).to_string()),
        ("/ag-ui?", json!({ "threadId": "c1", "runId": "r", "messages": [user] }).to_string()),
        (
            "/v1/responses?",
            json!({ "input": "Go.", "conversation": "c1", "stream": true }).to_string(),
        ),
        ("/v1/responses?", json!({ "input": "Go.", "conversation": "c1" }).to_string()),
        (
            "/v1/chat/completions?",
            json!({ "model": "silcrow", "stream": true, "messages": [user] }).to_string(),
        ),
        ("/v1/chat/completions?", json!({ "model": "silcrow", "messages": [user] }).to_string()),
    ]
}

/// Sends a request, leaves once its run has begun, and returns the outcome of the run.
async fn outcome(path: &str, body: &str) -> String {
    let (model, release) = SlowModel::new();
    let server = TestServer::new(model).await;
    let mut all = server.events("/events", None).await;
    let mut client = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
         x-silcrow-chat: c1\r\ncontent-length: {}\r\n\r\n{body}",
        server.token,
        body.len()
    );
    client.write_all(head.as_bytes()).await.unwrap();
    release.send("§respond: One".to_owned()).await.unwrap();
    while all.next().await.unwrap().data["event"]["content"] != "One" {}
    drop(client);
    let stopped = path.contains("disconnect=stop") || path.contains("disconnect=abort");
    if !stopped {
        // The server learns that the client is gone, and the run continues.
        for piece in [", two.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
    }
    loop {
        let message = all.next().await.unwrap().data;
        if message["event"]["type"] == "idle" {
            return message["event"]["outcome"].as_str().unwrap().to_owned();
        }
    }
}

#[test]
fn run_outlives_every_leaving_client() {
    block_on(async {
        for (path, body) in requests() {
            assert_eq!(outcome(path, &body).await, "answered", "{path} {body}");
        }
    });
}

#[test]
fn leaving_stops_the_run_on_request() {
    block_on(async {
        for (path, body) in requests() {
            for word in ["stop", "abort"] {
                let path = format!("{path}&disconnect={word}");
                assert_eq!(outcome(&path, &body).await, "stopped", "{path} {body}");
            }
        }
    });
}

#[test]
fn another_word_is_refused() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let server = TestServer::new(model).await;
        for (path, body) in requests() {
            let reply = server.send("POST", &format!("{path}&disconnect=never"), &body).await;
            assert_eq!(reply.status, 400, "{path}: {reply:?}");
            assert!(reply.body.contains("never"), "{path}: {reply:?}");
        }
    });
}

/// A client that comes back asks for it, too.
#[test]
fn disconnect_after_the_end_stops_nothing() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let (path, body) = requests().swap_remove(0);
        let mut first = server.open("POST", &format!("{path}&disconnect=stop"), &body).await;
        for piece in ["§respond: One.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        while first.next_data().await.is_some() {}
        drop(first);
        server.start("c1", "More.").await;
        let mut reader = server.open("GET", "/api/chat/c1/stream?disconnect=stop", "").await;
        release.send("§respond: Two".to_owned()).await.unwrap();
        while reader.next_data().await.unwrap()["type"] != "text-delta" {}
        let mut all = server.events("/conversations/c1/events", None).await;
        drop(reader);
        assert_eq!(all.until("idle").await.last().unwrap().data["outcome"], "stopped");
    });
}
